import { createMysqlSource } from './mysql-source.ts'
import { createPostgresSource } from './postgres-source.ts'
import { parseSourceAddress } from './source-address.ts'
import type { SourceDatabase, SourceDatabaseOptions } from './source-database.ts'

/** The source database at an address. It is connected to, and its driver loaded, when it is read. */
export const createSourceDatabase = (
  url: string,
  options: SourceDatabaseOptions,
): SourceDatabase => {
  const address = parseSourceAddress(url)
  return address.engine === 'postgres'
    ? createPostgresSource(address, options)
    : createMysqlSource(address, options)
}
