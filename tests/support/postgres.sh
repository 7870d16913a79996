# A PostgreSQL server of a test's own, from Debian's package: on a socket in a folder, without a port; sourced.
#   RIDGE_POSTGRES_BIN, if set, is the folder of the programs of another server than the newest that is installed
#   postgres_need     skips the whole file where there is none
#   postgres_make     a new cluster, and its address in $postgres
#   postgres_start    starts it, postgres_kill kills it as a power cut would
# It runs as the user postgres where root runs the tests (it refuses root), and ends with this shell, however that ends.
# SPDX-License-Identifier: Apache-2.0
postgres_bin=${RIDGE_POSTGRES_BIN:-$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -n 1)}
postgres_pid=

postgres_need() {
    [[ -x $postgres_bin/initdb ]] || { echo 'no PostgreSQL server here (apt-get install postgresql)'; exit 77; }
    command -v psql >/dev/null || { echo 'psql is not here (apt-get install postgresql-client)'; exit 77; }
    ((EUID != 0)) || id postgres >/dev/null 2>&1 || { echo 'root, and there is no user postgres'; exit 77; }
}

postgres_as=(setpriv --pdeathsig KILL)
((EUID != 0)) || postgres_as=(setpriv --reuid=postgres --regid=postgres --init-groups --pdeathsig KILL)

# In /tmp: a socket's path may have 107 bytes, and postgres may not enter root's folders.
postgres_make() {
    postgres_folder=$(mktemp -d /tmp/ridge-pg.XXXXXX)
    trap 'postgres_kill; rm -rf "$postgres_folder" "${work-}"' EXIT
    ((EUID != 0)) || chown postgres "$postgres_folder"
    (cd "$postgres_folder" && "${postgres_as[@]}" "$postgres_bin/initdb" -D data -A trust -U postgres -E UTF8 \
        --locale=C --no-sync --no-instructions >log 2>&1) || { cat "$postgres_folder/log"; return 1; }
    postgres=postgresql://postgres@${postgres_folder//\//%2F}/postgres
}

# fsync guards against the machine's death only; a killed server's writes are the kernel's already.
postgres_start() {
    local tries i
    for tries in 1 2 3; do # those that a killed server leaves take a moment to end
        (cd "$postgres_folder" && exec "${postgres_as[@]}" "$postgres_bin/postgres" -D data -k "$postgres_folder" \
            -c listen_addresses= -c fsync=off -c max_connections=20 -c shared_buffers=16MB >>log 2>&1) &
        postgres_pid=$!
        for ((i = 0; i < 1200; i++)); do
            "$postgres_bin/pg_isready" -qh "$postgres_folder" && return
            kill -0 "$postgres_pid" 2>/dev/null || break
            sleep 0.05
        done
        postgres_kill
    done
    tail -n 20 "$postgres_folder/log"
    return 1
}

postgres_kill() {
    [[ -n $postgres_pid ]] || return 0
    { kill -9 "$postgres_pid" && wait "$postgres_pid"; } 2>/dev/null
    postgres_pid=
}
