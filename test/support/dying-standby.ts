import { connectWorker } from '#cluster'

const supervised = connectWorker({ exit: (code) => process.exit(code), onError: console.error })
const dying = setTimeout(() => process.exit(1), 20)
await supervised.prepared(async () => undefined)
clearTimeout(dying)
supervised.ready()
