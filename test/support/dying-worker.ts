import { superviseWorker } from '#supervise'

const supervised = superviseWorker({ exit: (code) => process.exit(code), onError: console.error })
supervised.ready(async () => undefined)
setTimeout(() => process.exit(1), 20)
