// Cross entropy of rows and its gradient, for the fourth validation list.
// SPDX-License-Identifier: Apache-2.0
#include <math.h>

void xent_ref(float *loss, float *grad, const float *logits, const int *target, int rows,
              int classes)
{
    for (int r = 0; r < rows; r++, grad += classes, logits += classes) {
        double most = logits[0], sum = 0;
        for (int c = 1; c < classes; c++)
            most = fmax(most, logits[c]);
        for (int c = 0; c < classes; c++)
            sum += exp(logits[c] - most);
        loss[r] = (float)(log(sum) + most - logits[target[r]]);
        for (int c = 0; c < classes; c++)
            grad[c] = (float)((exp(logits[c] - most) / sum - (c == target[r])) / rows);
    }
}
