import { connectWorker } from '#cluster'

const supervised = connectWorker({ exit: (code) => process.exit(code), onError: console.error })
// The one that serves is told to begin by then, also on a busy machine.
const dying = setTimeout(() => process.exit(1), 400)
await supervised.prepared(async () => undefined)
clearTimeout(dying)
supervised.ready()
