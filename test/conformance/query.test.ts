import { conditionConformance } from './query/conditions.ts'
import { downloadConformance } from './query/downloads.ts'
import { listConformance } from './query/lists.ts'
import { openOnSqlite } from './query/sqlite.ts'

conditionConformance('SQLite', openOnSqlite)
listConformance('SQLite', 150, openOnSqlite)
downloadConformance('SQLite', 150, openOnSqlite)
