import FoundationEssentials
import Glibc
let v = try JSONDecoder().decode([Int].self, from: Data("[1,2]".utf8))
print(v)
