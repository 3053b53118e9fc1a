/**
 * Connections that ask for more than the kernel holds for them and read none of it. In the end it
 * tells how long each was left open.
 */
import { connect } from 'node:net'
import type { Readers } from './readers.ts'

const [, , port = ''] = process.argv
/** A socket that is not read notices its end only when it writes. */
const noticeMs = 250

const openMs = (message: string, patienceMs: number): Promise<number> =>
  new Promise((resolve) => {
    let began = performance.now()
    const socket = connect(Number(port), '127.0.0.1', () => {
      began = performance.now()
      socket.write(message)
    })
    socket.pause()
    const noticing = setInterval(() => socket.write('\r\n'), noticeMs)
    const end = () => {
      clearInterval(noticing)
      clearTimeout(patience)
      socket.destroy()
      resolve(performance.now() - began)
    }
    const patience = setTimeout(end, patienceMs)
    socket.once('error', end)
    socket.once('close', end)
  })

process.on('message', ({ message, count, patienceMs }: Readers) => {
  void Promise.all(Array.from({ length: count }, () => openMs(message, patienceMs))).then((took) =>
    process.send?.(took),
  )
})
