/**
 * Connections that send or read almost nothing, until the server closes them. Each message opens
 * some and returns how long each stayed open.
 */
import { connect } from 'node:net'

export interface SlowWay {
  readonly begins: string
  /** Sent repeatedly; a socket that does not read notices its end only when it writes. */
  readonly drips: string
  readonly everyMs: number
  readonly reads: boolean
}

export interface SlowConnections {
  /** The connections use these in turn. */
  readonly ways: readonly SlowWay[]
  readonly count: number
  /** When the client closes its connections. */
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
