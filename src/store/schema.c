/* The tables of a result file. docs/RESULTS.md explains them to users.
 *
 * Only SQL that SQLite 3.26 knows, so that the sqlite3 shell of an old cluster reads the file.
 * Measured numbers may be NULL: SQLite has no NaN. Times are REAL nanoseconds: whole picoseconds
 * survive up to two hours of simulated time, and divisions in queries do not truncate. Small rows
 * live in their primary key (WITHOUT ROWID); series do not, because long rows slow that down.
 * Ids are never reused (AUTOINCREMENT), so "run 17" in a user's notes stays run 17. */
#include "store/store_int.h"

#define OF_RUN " run_id INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,"

#define SCALAR_OF(alias, name)                                                                     \
    " LEFT JOIN scalar AS " alias " ON " alias ".run_id = run.id AND " alias ".name = '" name "'"

/* Congestion trees (version 4). Blobs are zlib streams of little-endian numbers; docs/RESULTS.md. */
#define TREE_TABLES                                                                                \
    "CREATE TABLE frame (" OF_RUN " frame INTEGER NOT NULL,"                                       \
    " time_ns REAL NOT NULL,"                                                                      \
    " span_ns REAL NOT NULL,"                                                                      \
    " data BLOB NOT NULL,"                                                                         \
    " PRIMARY KEY (run_id, frame)"                                                                 \
    ")",                                                                                           \
        "CREATE TABLE tree (" OF_RUN " tree INTEGER NOT NULL,"                                     \
        " root_port INTEGER NOT NULL,"                                                             \
        " root TEXT NOT NULL,"                                                                     \
        " root_to TEXT NOT NULL,"                                                                  \
        " begin_ns REAL NOT NULL,"                                                                 \
        " end_ns REAL NOT NULL,"                                                                   \
        " samples INTEGER NOT NULL,"                                                               \
        " links INTEGER NOT NULL,"                                                                 \
        " depth INTEGER NOT NULL,"                                                                 \
        " contributors INTEGER,"                                                                   \
        " victims INTEGER,"                                                                        \
        " loss REAL,"                                                                              \
        " bytes_mean REAL NOT NULL,"                                                               \
        " bytes_max INTEGER NOT NULL,"                                                             \
        " similarity REAL,"                                                                        \
        " overlap REAL,"                                                                           \
        " contributor_overlap REAL,"                                                               \
        " moves INTEGER NOT NULL,"                                                                 \
        " kind TEXT NOT NULL,"                                                                     \
        " PRIMARY KEY (run_id, tree)"                                                              \
        ") WITHOUT ROWID",                                                                         \
        "CREATE TABLE tree_root (" OF_RUN " tree INTEGER NOT NULL,"                                \
        " position INTEGER NOT NULL,"                                                              \
        " port INTEGER NOT NULL,"                                                                  \
        " begin_ns REAL NOT NULL,"                                                                 \
        " end_ns REAL NOT NULL,"                                                                   \
        " PRIMARY KEY (run_id, tree, position)"                                                    \
        ") WITHOUT ROWID",                                                                         \
        "CREATE TABLE tree_frame (" OF_RUN " tree INTEGER NOT NULL,"                               \
        " frame INTEGER NOT NULL,"                                                                 \
        " root_port INTEGER NOT NULL,"                                                             \
        " links INTEGER NOT NULL,"                                                                 \
        " bytes INTEGER NOT NULL,"                                                                 \
        " members BLOB NOT NULL,"                                                                  \
        " contributors BLOB,"                                                                      \
        " victims BLOB,"                                                                           \
        " PRIMARY KEY (run_id, tree, frame)"                                                       \
        ")"

#define TREE_TRIGGER                                                                               \
    "CREATE TRIGGER run_deleted_trees AFTER DELETE ON run BEGIN"                                   \
    " DELETE FROM frame WHERE run_id = old.id;"                                                    \
    " DELETE FROM tree WHERE run_id = old.id;"                                                     \
    " DELETE FROM tree_root WHERE run_id = old.id;"                                                \
    " DELETE FROM tree_frame WHERE run_id = old.id;"                                               \
    " END"

/* What a file of version 3 lacks. */
const char cop_store_tree_trigger[] = TREE_TRIGGER;
const char *const cop_store_schema_trees[] = {TREE_TABLES, cop_store_tree_trigger, NULL};

#define DELETIONS                                                                                  \
    "CREATE TRIGGER run_deleted AFTER DELETE ON run BEGIN"                                         \
    " DELETE FROM scalar WHERE run_id = old.id;"                                                   \
    " DELETE FROM series WHERE run_id = old.id;"                                                   \
    " DELETE FROM stream WHERE run_id = old.id;"                                                   \
    " DELETE FROM node WHERE run_id = old.id;"                                                     \
    " DELETE FROM port WHERE run_id = old.id;"                                                     \
    " DELETE FROM flow WHERE run_id = old.id;"                                                     \
    " DELETE FROM hist WHERE run_id = old.id;"

const char cop_store_old_trigger[] = DELETIONS " END";
const char cop_store_trigger[] = DELETIONS " DELETE FROM job WHERE run_id = old.id;"
                                           " DELETE FROM job_rank WHERE run_id = old.id;"
                                           " DELETE FROM job_collective WHERE run_id = old.id;"
                                           " DELETE FROM job_path WHERE run_id = old.id;"
                                           " DELETE FROM job_slice WHERE run_id = old.id;"
                                           " END";

/* Applications: since version 4. */
const char *const cop_store_job_schema[] = {
    "CREATE TABLE job (" OF_RUN " job INTEGER NOT NULL,"
    " name TEXT NOT NULL,"
    " program TEXT NOT NULL,"
    " ranks INTEGER NOT NULL,"
    " operations INTEGER NOT NULL,"
    " unfinished INTEGER NOT NULL,"
    " stuck INTEGER NOT NULL,"
    " waits TEXT NOT NULL,"
    " start_ns REAL NOT NULL,"
    " end_ns REAL,"
    " messages INTEGER NOT NULL,"
    " bytes INTEGER NOT NULL,"
    " network_mean_ns REAL,"
    " network_max_ns REAL,"
    " path_compute_ns REAL NOT NULL,"
    " path_overhead_ns REAL NOT NULL,"
    " path_network_ns REAL NOT NULL,"
    " path_wait_ns REAL NOT NULL,"
    " path_steps INTEGER NOT NULL,"
    " PRIMARY KEY (run_id, job)"
    ") WITHOUT ROWID",

    "CREATE TABLE job_rank (" OF_RUN " job INTEGER NOT NULL,"
    " rank INTEGER NOT NULL,"
    " host INTEGER NOT NULL,"
    " end_ns REAL,"
    " compute_ns REAL NOT NULL,"
    " overhead_ns REAL NOT NULL,"
    " waiting_ns REAL NOT NULL,"
    " sends INTEGER NOT NULL,"
    " receives INTEGER NOT NULL,"
    " bytes_sent INTEGER NOT NULL,"
    " bytes_received INTEGER NOT NULL,"
    " PRIMARY KEY (run_id, job, rank)"
    ") WITHOUT ROWID",

    "CREATE TABLE job_collective (" OF_RUN " job INTEGER NOT NULL,"
    " collective INTEGER NOT NULL,"
    " name TEXT NOT NULL,"
    " ranks INTEGER NOT NULL,"
    " start_ns REAL,"
    " end_ns REAL,"
    " PRIMARY KEY (run_id, job, collective)"
    ") WITHOUT ROWID",

    "CREATE TABLE job_path (" OF_RUN " job INTEGER NOT NULL,"
    " step INTEGER NOT NULL,"
    " rank INTEGER NOT NULL,"
    " line INTEGER NOT NULL,"
    " kind TEXT NOT NULL,"
    " from_ns REAL NOT NULL,"
    " to_ns REAL NOT NULL,"
    " compute_ns REAL NOT NULL,"
    " overhead_ns REAL NOT NULL,"
    " network_ns REAL NOT NULL,"
    " wait_ns REAL NOT NULL,"
    " PRIMARY KEY (run_id, job, step)"
    ") WITHOUT ROWID",

    "CREATE TABLE job_slice (" OF_RUN " job INTEGER NOT NULL,"
    " slice INTEGER NOT NULL,"
    " rank INTEGER NOT NULL,"
    " kind TEXT NOT NULL,"
    " from_ns REAL NOT NULL,"
    " to_ns REAL NOT NULL,"
    " PRIMARY KEY (run_id, job, slice)"
    ") WITHOUT ROWID",

    /* The sqlite3 shell starts with foreign keys off; a deletion there must not leave orphans. */
    cop_store_trigger,
    NULL,
};

const char *const cop_store_schema[] = {
    "CREATE TABLE meta ("
    " key TEXT PRIMARY KEY,"
    " value TEXT NOT NULL"
    ") WITHOUT ROWID",

    "CREATE TABLE run ("
    " id INTEGER PRIMARY KEY AUTOINCREMENT,"
    " name TEXT NOT NULL,"
    " title TEXT NOT NULL,"
    " version TEXT NOT NULL,"
    " model TEXT NOT NULL,"
    " command TEXT NOT NULL,"
    " config TEXT NOT NULL,"
    " config_hash TEXT NOT NULL,"
    " seed INTEGER NOT NULL,"
    " run_hash TEXT NOT NULL,"
    " outcome TEXT NOT NULL CHECK (outcome IN ('ok', 'deadlock', 'loss', 'broken',"
    " 'failed', 'starved', 'stuck')),"
    " detail TEXT,"
    " started_at TEXT,"
    " stored_at TEXT NOT NULL,"
    " sim_time_ns REAL NOT NULL,"
    " warmup_ns REAL NOT NULL,"
    " sample_ns REAL NOT NULL,"
    " hosts INTEGER NOT NULL,"
    " switches INTEGER NOT NULL,"
    " cpu_seconds REAL,"
    " build_seconds REAL,"
    " peak_rss_bytes INTEGER NOT NULL,"
    " events INTEGER NOT NULL,"
    " packet_hops INTEGER NOT NULL"
    ")",
    "CREATE INDEX run_by_config ON run (config_hash, seed)",
    "CREATE INDEX run_by_name ON run (name)",

    "CREATE TABLE scalar (" OF_RUN " name TEXT NOT NULL,"
    " unit TEXT NOT NULL,"
    " value REAL,"
    " PRIMARY KEY (run_id, name)"
    ") WITHOUT ROWID",
    "CREATE INDEX scalar_by_name ON scalar (name, run_id)",

    "CREATE TABLE series (" OF_RUN " name TEXT NOT NULL,"
    " unit TEXT NOT NULL,"
    " sample_ns REAL NOT NULL,"
    " n INTEGER NOT NULL,"
    " data BLOB NOT NULL,"
    " PRIMARY KEY (run_id, name)"
    ")",

    "CREATE TABLE stream (" OF_RUN " stream INTEGER NOT NULL,"
    " entry TEXT NOT NULL,"
    " host INTEGER NOT NULL,"
    " dst INTEGER,"
    " sent_bytes INTEGER NOT NULL,"
    " delivered_bytes INTEGER NOT NULL,"
    " gbps REAL,"
    " latency_mean_ns REAL,"
    " packets INTEGER NOT NULL,"
    " PRIMARY KEY (run_id, stream)"
    ") WITHOUT ROWID",

    "CREATE TABLE node (" OF_RUN " node INTEGER NOT NULL,"
    " name TEXT NOT NULL,"
    " sent_bytes INTEGER NOT NULL,"
    " received_bytes INTEGER NOT NULL,"
    " sent_gbps REAL,"
    " received_gbps REAL,"
    " role TEXT NOT NULL,"
    " hotspot REAL NOT NULL,"
    " PRIMARY KEY (run_id, node)"
    ") WITHOUT ROWID",

    "CREATE TABLE port (" OF_RUN " port INTEGER NOT NULL,"
    " name TEXT NOT NULL,"
    " to_name TEXT NOT NULL,"
    " utilisation REAL,"
    " mean_queue_bytes REAL,"
    " max_queue_bytes INTEGER NOT NULL,"
    " PRIMARY KEY (run_id, port)"
    ") WITHOUT ROWID",

    "CREATE TABLE flow (" OF_RUN " src INTEGER NOT NULL,"
    " dst INTEGER NOT NULL,"
    " packets INTEGER NOT NULL,"
    " bytes INTEGER NOT NULL,"
    " PRIMARY KEY (run_id, src, dst)"
    ") WITHOUT ROWID",

    "CREATE TABLE hist (" OF_RUN " name TEXT NOT NULL,"
    " bin INTEGER NOT NULL,"
    " low_ns REAL NOT NULL,"
    " high_ns REAL NOT NULL,"
    " count INTEGER NOT NULL,"
    " PRIMARY KEY (run_id, name, bin)"
    ") WITHOUT ROWID",

    /* Studies: what was asked, which runs answer it, what came out. Replaced as a whole each time a
     * study is evaluated; the runs stay. */
    "CREATE TABLE experiment ("
    " name TEXT NOT NULL,"
    " scale TEXT NOT NULL,"
    " title TEXT NOT NULL,"
    " paper TEXT NOT NULL,"
    " about TEXT NOT NULL,"
    " choices TEXT NOT NULL,"
    " config TEXT NOT NULL,"
    " command TEXT NOT NULL,"
    " seeds INTEGER NOT NULL,"
    " runs INTEGER NOT NULL,"
    " failed INTEGER NOT NULL,"
    " inputs TEXT NOT NULL,"
    " updated_at TEXT NOT NULL,"
    " PRIMARY KEY (name, scale)"
    ") WITHOUT ROWID",

    "CREATE TABLE point ("
    " experiment TEXT NOT NULL,"
    " scale TEXT NOT NULL,"
    " position INTEGER NOT NULL,"
    " label TEXT NOT NULL,"
    " axes TEXT NOT NULL,"
    " seed INTEGER NOT NULL,"
    " run_id INTEGER,"
    " outcome TEXT NOT NULL,"
    " PRIMARY KEY (experiment, scale, position)"
    ") WITHOUT ROWID",

    "CREATE TABLE verdict ("
    " experiment TEXT NOT NULL,"
    " scale TEXT NOT NULL,"
    " position INTEGER NOT NULL,"
    " id TEXT NOT NULL,"
    " paper TEXT NOT NULL,"
    " place TEXT NOT NULL,"
    " metric TEXT NOT NULL,"
    " kind TEXT NOT NULL,"
    " expected TEXT NOT NULL,"
    " tolerance TEXT NOT NULL,"
    " state TEXT NOT NULL CHECK (state IN ('pass', 'fail', 'not-run', 'recorded')),"
    " measured TEXT NOT NULL,"
    " explain TEXT NOT NULL,"
    " items TEXT NOT NULL,"
    " PRIMARY KEY (experiment, scale, position)"
    ") WITHOUT ROWID",

    "CREATE TABLE figure ("
    " experiment TEXT NOT NULL,"
    " scale TEXT NOT NULL,"
    " position INTEGER NOT NULL,"
    " name TEXT NOT NULL,"
    " spec TEXT NOT NULL,"
    " PRIMARY KEY (experiment, scale, position)"
    ")",

    TREE_TABLES,
    cop_store_tree_trigger,

    "CREATE VIEW summary AS SELECT"
    " run.id AS id, run.name AS name, run.seed AS seed, run.outcome AS outcome,"
    " run.hosts AS hosts, run.switches AS switches, run.sim_time_ns / 1e6 AS sim_ms,"
    " t.value AS throughput_gbps, m.value AS latency_mean_ns, p.value AS latency_p99_ns,"
    " run.packet_hops AS packet_hops, run.cpu_seconds AS cpu_seconds, run.run_hash AS run_hash"
    " FROM run" SCALAR_OF("t", "throughput_gbps") SCALAR_OF("m", "latency_ns.mean")
        SCALAR_OF("p", "latency_ns.p99"),

    /* jain: 1 if all streams of the entry get the same, 1/streams if one gets everything. */
    "CREATE VIEW entry AS SELECT"
    " run_id, entry, count(*) AS streams, sum(gbps) AS total_gbps, avg(gbps) AS mean_gbps,"
    " min(gbps) AS min_gbps, max(gbps) AS max_gbps,"
    " sum(gbps) * sum(gbps) / nullif(count(gbps) * sum(gbps * gbps), 0) AS jain,"
    " sum(latency_mean_ns * packets) / nullif(sum(packets), 0) AS latency_mean_ns,"
    " sum(packets) AS packets"
    " FROM stream GROUP BY run_id, entry",

    "CREATE VIEW distribution AS SELECT"
    " run_id, name, low_ns, high_ns, count,"
    " 1.0 * count / sum(count) OVER (PARTITION BY run_id, name) AS share,"
    " 1.0 * sum(count) OVER (PARTITION BY run_id, name ORDER BY bin)"
    " / sum(count) OVER (PARTITION BY run_id, name) AS cumulative"
    " FROM hist",
    NULL,
};
