// The journal's tables, version 4 (1 had no hypotheses, 2 no sources, 3 no baselines). `results.detail` is the result's JSON as `--json` prints it (the
// whole truth); the other tables hold what is searched, one row each.
// SPDX-License-Identifier: Apache-2.0
#ifndef RIDGE_JOURNAL_SCHEMA_H
#define RIDGE_JOURNAL_SCHEMA_H

enum {
    JOURNAL_SCHEMA_VERSION = 4,
    JOURNAL_APPLICATION_ID =
        0x52494447, // "RIDG" in the file's header: which program's database it is
};

// What is kept of sources at most; beyond it those of the oldest runs go.
enum { JOURNAL_SOURCE_BYTES_MAX = 1 << 20, JOURNAL_SOURCES_BYTES_MAX = 64 << 20 };

// Added in version 3: each text once, however many runs had it; and which file of a run had it.
#define SOURCES_TABLES                                                                        \
    "CREATE TABLE sources(hash TEXT PRIMARY KEY, size_bytes INTEGER NOT NULL, text BLOB NOT " \
    "NULL);"                                                                                  \
    "CREATE TABLE run_sources(run INTEGER NOT NULL REFERENCES runs(id), path TEXT NOT NULL,"  \
    " hash TEXT NOT NULL REFERENCES sources(hash), PRIMARY KEY(run, path)) WITHOUT ROWID;"    \
    "CREATE INDEX run_sources_hash ON run_sources(hash);"

// Added in version 4: runs that have a name to be held against.
#define BASELINES_TABLES                                                                         \
    "CREATE TABLE baselines(name TEXT PRIMARY KEY, saved TEXT NOT NULL, suite TEXT NOT NULL);"   \
    "CREATE TABLE baseline_runs(name TEXT NOT NULL REFERENCES baselines(name), run INTEGER NOT " \
    "NULL"                                                                                       \
    " REFERENCES runs(id), PRIMARY KEY(name, run)) WITHOUT ROWID;"

// Added in version 2: what was written before a run. `expected` is a JSON object of strings;
// `after_run` the newest run there was.
#define HYPOTHESES_TABLE                                                                      \
    "CREATE TABLE hypotheses("                                                                \
    " id INTEGER PRIMARY KEY AUTOINCREMENT, written TEXT NOT NULL, experiment TEXT NOT NULL," \
    " variant TEXT NOT NULL, hypothesis TEXT NOT NULL, expected TEXT NOT NULL,"               \
    " after_run INTEGER NOT NULL);"

static const char journal_schema[] =
    "CREATE TABLE runs("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, started TEXT NOT NULL, finished INTEGER NOT NULL "
    "DEFAULT 0,"
    " experiment TEXT NOT NULL, device TEXT NOT NULL, git TEXT, stop_reason TEXT, header TEXT NOT "
    "NULL);"
    "CREATE TABLE results("
    " id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL REFERENCES runs(id),"
    " variant TEXT NOT NULL, answers TEXT, case_label TEXT NOT NULL, status TEXT NOT NULL,"
    " verified INTEGER, time_ns REAL, time_provenance TEXT, floor_ns REAL, code_key TEXT, seed "
    "INTEGER,"
    " detail TEXT NOT NULL);"
    "CREATE INDEX results_run ON results(run);"
    "CREATE TABLE samples(result INTEGER NOT NULL REFERENCES results(id), n INTEGER NOT NULL,"
    " time_ns REAL NOT NULL, PRIMARY KEY(result, n)) WITHOUT ROWID;"
    "CREATE TABLE counters(result INTEGER NOT NULL REFERENCES results(id), name TEXT NOT NULL,"
    " value REAL NOT NULL, provenance TEXT NOT NULL, PRIMARY KEY(result, name)) WITHOUT ROWID;"
    "CREATE TABLE findings(result INTEGER NOT NULL REFERENCES results(id), rank INTEGER NOT NULL,"
    " class TEXT NOT NULL, title TEXT NOT NULL, file TEXT, line INTEGER, expected_time_ns REAL,"
    " PRIMARY KEY(result, rank)) WITHOUT ROWID;"
    "CREATE TABLE expectations(result INTEGER NOT NULL REFERENCES results(id), rank INTEGER NOT "
    "NULL,"
    " hypothesis TEXT, what TEXT NOT NULL, expected TEXT NOT NULL, actual TEXT, verdict TEXT NOT "
    "NULL,"
    " PRIMARY KEY(result, rank)) WITHOUT ROWID;" HYPOTHESES_TABLE SOURCES_TABLES BASELINES_TABLES;
// From version 1, from version 2, from version 3.
static const char *const journal_upgrades[] = {HYPOTHESES_TABLE SOURCES_TABLES BASELINES_TABLES,
                                               SOURCES_TABLES BASELINES_TABLES, BASELINES_TABLES};

#endif
