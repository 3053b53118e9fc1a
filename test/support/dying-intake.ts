/** Works on the batches of a database, and is killed once it has begun with one of them. */
import { openDatabase, openQueueDatabase } from '#database'
import { openTestQueue } from './queue.ts'

const [url = '', number = ''] = process.argv.slice(2)
const records = openDatabase(url)
const database = openQueueDatabase(url, records)
await openTestQueue(records, {
  ...database,
  read: (queries, ...rest) => {
    const isBegun = queries.some(
      ({ text, values }) => text.startsWith('select "body"') && values[0] === Number(number),
    )
    if (isBegun) process.kill(process.pid, 'SIGKILL')
    return database.read(queries, ...rest)
  },
})
