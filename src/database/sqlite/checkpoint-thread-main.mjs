// @ts-check
// JavaScript without imports of the program, like the reader threads.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

/** @import { CheckpointThreadData } from './wal-checkpoint.ts' */

/** Also copies pages written meanwhile, so that the WAL can restart from its beginning. */
const roundsMax = 3

const { file, setup } = /** @type {CheckpointThreadData} */ (workerData)
const connection = new DatabaseSync(file)
connection.exec(setup)
const checkpoint = connection.prepare('pragma wal_checkpoint(passive)')
checkpoint.setReturnArrays(true)

const copy = () => {
  for (let round = 0; round < roundsMax; round += 1) {
    const [[, pages, copied]] = /** @type {[[number, number, number]]} */ (
      /** @type {unknown} */ (checkpoint.all())
    )
    if (pages === copied) return
  }
}

parentPort?.on('message', () => {
  try {
    copy()
  } catch {
    // The WAL is as durable as the database. The next commit reports a failing disk.
  }
  parentPort?.postMessage('done')
})
