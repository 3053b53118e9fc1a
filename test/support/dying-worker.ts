import { connectWorker } from '#cluster'

const supervised = connectWorker({ exit: (code) => process.exit(code), onError: console.error })
await supervised.prepared(async () => undefined)
supervised.ready()
setTimeout(() => process.exit(1), 20)
