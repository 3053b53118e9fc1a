import { superviseWorker } from '#cluster'

const supervised = superviseWorker({ exit: (code) => process.exit(code), onError: console.error })
await supervised.prepared(async () => undefined)
supervised.ready()
setTimeout(() => process.exit(1), 20)
