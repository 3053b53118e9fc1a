/**
 * Connections that send next to nothing, each in one of three ways, until the server has had enough
 * of each. In the end it tells how long that took.
 */
import { connect } from 'node:net'
import { type SlowKind, slowKinds, type WasCut } from './kinds.ts'

const [, , port = '', count = '', path = '', key = '', patienceMs = ''] = process.argv

const beginnings: Readonly<Record<SlowKind, string>> = {
  idle: '',
  headers: `GET ${path} HTTP/1.1\r\nHost: api\r\nX-A: `,
  body: `GET ${path} HTTP/1.1\r\nHost: api\r\nAuthorization: Bearer ${key}\r\nContent-Length: 1000\r\n\r\n`,
}

const wasCut = (kind: SlowKind): Promise<WasCut> =>
  new Promise((resolve) => {
    let began = performance.now()
    const socket = connect(Number(port), '127.0.0.1')
    const dripping = setInterval(() => {
      if (kind !== 'idle') socket.write('a')
    }, 1_000)
    const end = () => {
      clearInterval(dripping)
      clearTimeout(patience)
      socket.destroy()
      resolve({ kind, tookMs: performance.now() - began })
    }
    const patience = setTimeout(end, Number(patienceMs))
    socket.once('connect', () => {
      began = performance.now()
      socket.write(beginnings[kind])
    })
    socket.resume().once('close', end)
    socket.once('error', () => undefined)
  })

const cut = await Promise.all(
  Array.from({ length: Number(count) }, (_, index) =>
    wasCut(slowKinds[index % slowKinds.length] as SlowKind),
  ),
)
process.send?.(cut, undefined, {}, () => process.exit())
