/* Bytes into the topology file reader. Whatever they are, it must answer with a network that passes
 * its own checks or with an error message. */
#include "topo/topo.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    cop_topo t = {0};
    cop_err err = {0};
    int rc = cop_topo_parse_text(&t, "fuzz", (const char *)data, size, &err);
    COP_CHECK((rc == 0) == (err.faults == 0));
    if (rc == 0) {
        cop_topo_facts facts;
        cop_topo_measure(&t, 4, &facts);
        COP_CHECK(facts.diameter >= 1 && facts.cables >= t.n_hosts);
        char name[64];
        for (uint32_t p = 0; p < t.n_ports; p++) {
            COP_CHECK(strlen(cop_topo_port_name(&t, p, name, sizeof(name))) < sizeof(name));
            COP_CHECK(t.port[p].rate_rank < t.n_speeds);
        }
    } else {
        COP_CHECK(err.code != COP_OK && strchr(err.text, ';') != NULL);
    }
    cop_topo_free(&t);
    return 0;
}
