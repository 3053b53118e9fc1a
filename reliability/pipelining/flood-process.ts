/** Sends floods of requests on demand, one at a time. */
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { Flood, FloodOutcome } from './clients.ts'
import { openResponseCounter } from './responses.ts'

const [, , port = ''] = process.argv

/** Each request appears to come from a different client address. */
const messageOf = ({ lines }: Flood, index: number): string =>
  [
    ...lines,
    'Host: api',
    `X-Forwarded-For: 10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
    '',
    '',
  ].join('\r\n')

let sent = 0

const send = async (flood: Flood): Promise<FloodOutcome> => {
  const { count, way, reads, unreadMs } = flood
  const messages = Array.from({ length: count }, () => {
    sent += 1
    return messageOf(flood, sent)
  })
  const parts = way === 'pipelined' ? [messages.join('')] : messages
  const each = way === 'pipelined' ? count : 1
  const statuses: { [status: string]: number } = {}
  let broken = 0
  const sockets: Socket[] = []

  const ask = (message: string): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write(message)
        if (!reads) resolve()
      })
      sockets.push(socket)
      let left = each
      const count = openResponseCounter((status) => {
        statuses[status] = (statuses[status] ?? 0) + 1
        left -= 1
        if (left === 0) socket.destroy()
      })
      if (reads) socket.on('data', count)
      else socket.pause()
      socket.on('error', () => undefined)
      socket.once('close', () => {
        if (reads && left > 0) broken += 1
        resolve()
      })
    })

  await Promise.all(parts.map(ask))
  if (!reads) await wait(unreadMs)
  for (const socket of sockets) socket.destroy()
  return { statuses, broken }
}

process.on('message', (flood: Flood) => {
  void send(flood).then((outcome) => process.send?.(outcome))
})
