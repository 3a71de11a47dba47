#include "app/source.h"
int cop_read_goal_bin(cop_graph *g, cop_source *s, const cop_read_cfg *cfg){(void)g;(void)cfg;return cop_source_fault(s,"x; y");}
int cop_read_htsim(cop_graph *g, cop_source *s){(void)g;return cop_source_fault(s,"x; y");}
int cop_read_chakra(cop_graph *g, const char *path, cop_source *first, const cop_read_cfg *cfg,cop_read_notes *notes){(void)g;(void)path;(void)cfg;(void)notes;return cop_source_fault(first,"x; y");}
