import CSQLite
import CSystemd

print(sqlite3_libversion_number())
