import { superviseWorker } from '#cluster'

const supervised = superviseWorker({ exit: (code) => process.exit(code), onError: console.error })
await supervised.refuse('This worker never wanted to work.')
