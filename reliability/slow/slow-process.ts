/**
 * Connections that send or read next to nothing, until the server has had enough of each. With each
 * message it opens some, and tells in the end how long each was open.
 */
import { connect } from 'node:net'

/** One way to be slow. */
export interface SlowWay {
  readonly begins: string
  /** What is sent again and again; a socket that is not read notices its end only when it writes. */
  readonly drips: string
  readonly everyMs: number
  readonly reads: boolean
}

export interface SlowConnections {
  /** The connections take them in turn. */
  readonly ways: readonly SlowWay[]
  readonly count: number
  /** When they give up by themselves. */
  readonly patienceMs: number
}

const [, , port = ''] = process.argv

const openMs = (way: SlowWay | undefined, patienceMs: number): Promise<number> =>
  new Promise((resolve) => {
    const { begins = '', drips = '', everyMs = 1_000, reads = true } = way ?? {}
    let began = performance.now()
    const socket = connect(Number(port), '127.0.0.1', () => {
      began = performance.now()
      socket.write(begins)
    })
    if (reads) socket.resume()
    else socket.pause()
    const dripping = setInterval(() => socket.write(drips), everyMs)
    const end = () => {
      clearInterval(dripping)
      clearTimeout(patience)
      socket.destroy()
      resolve(performance.now() - began)
    }
    const patience = setTimeout(end, patienceMs)
    socket.once('close', end)
    socket.once('error', end)
  })

process.on('message', ({ ways, count, patienceMs }: SlowConnections) => {
  const all = Array.from({ length: count }, (_, n) => openMs(ways[n % ways.length], patienceMs))
  void Promise.all(all).then((took) => process.send?.(took))
})
