import CSimdJSON
import CSystemd
import CSQLite
print(hark_json_version(), sqlite3_libversion_number())
