import { connectWorker } from '#cluster'

const supervised = connectWorker({ exit: (code) => process.exit(code), onError: console.error })
await supervised.prepared(async () => undefined)
supervised.ready()
// As a long statement of SQLite does, without using a processor.
setTimeout(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0), 100)
