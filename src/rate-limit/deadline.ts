/** What a promise gives if it is there within so many milliseconds; otherwise a rejection. */
export const within = <Value>(ms: number, promise: Promise<Value>): Promise<Value> =>
  new Promise((resolve, reject) => {
    // When this process itself was held up, timers run before sockets are read: an answer that
    // has long arrived is given the chance to be seen before it is called late.
    const timer = setTimeout(
      () => setImmediate(() => reject(new Error(`No answer within ${ms} ms.`))),
      ms,
    )
    promise.then(resolve, reject).finally(() => clearTimeout(timer))
  })
