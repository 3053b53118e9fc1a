import { connectWorker } from '#cluster'

const supervised = connectWorker({ exit: (code) => process.exit(code), onError: console.error })
await supervised.refuse('This worker never wanted to work.')
