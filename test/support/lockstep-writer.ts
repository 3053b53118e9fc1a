/**
 * Writes the same growing number to three SQLite files, one after the other, until it is killed. At
 * every moment, each file is as new as the next one, or one number newer.
 */
import { DatabaseSync } from 'node:sqlite'

const [first, second, third] = process.argv.slice(2).map((file) => {
  const connection = new DatabaseSync(file, { timeout: 60_000 })
  connection.exec('pragma synchronous = off')
  return connection
}) as [DatabaseSync, DatabaseSync, DatabaseSync]

const write = (connection: DatabaseSync, number: number) =>
  connection.exec(
    `begin immediate; update number set value = ${number}; update filler set text = hex(randomblob(500)) where id = ${1 + (number % 2_000)}; commit`,
  )

process.stdout.write('ready\n')
for (let number = 1; ; number += 1) {
  for (const each of [first, second, third]) write(each, number)
}
