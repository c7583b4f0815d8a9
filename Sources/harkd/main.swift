import CSQLite
import CSimdJSON
import CSystemd

print(hark_json_version(), sqlite3_libversion_number())
