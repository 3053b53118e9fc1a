import { connectWorker } from '#cluster'

const supervised = connectWorker({ exit: (code) => process.exit(code), onError: console.error })
// The supervisor lets the serving worker begin before that, even on a busy machine.
const dying = setTimeout(() => process.exit(1), 400)
await supervised.prepared(async () => undefined)
clearTimeout(dying)
supervised.ready()
