#include "CSimdJSON.h"
#include <simdjson.h>
int hark_json_version(void) { return simdjson::SIMDJSON_VERSION_MAJOR; }
