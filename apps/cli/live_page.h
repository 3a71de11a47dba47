/* The page of the live view. */
#ifndef COP_LIVE_PAGE_H
#define COP_LIVE_PAGE_H

extern const char cop_live_page[];

#endif
