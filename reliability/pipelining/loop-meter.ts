/**
 * Loaded into a serving process before its program: reports to each client of the socket
 * `LOOP_METER` the most processor time that one turn of the event loop took since the last time.
 * Unlike the time on the clock, it does not include what other processes do on a busy machine.
 */
import { createServer } from 'node:net'

const { LOOP_METER: path } = process.env
let longestMs = 0
let before = process.threadCpuUsage()

if (path !== undefined) {
  // Timers run once in each turn, so that between two of them lies one turn, or a few short ones.
  setInterval(() => {
    const { user, system } = process.threadCpuUsage(before)
    before = process.threadCpuUsage()
    longestMs = Math.max(longestMs, (user + system) / 1_000)
  }, 1).unref()
  createServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.end(String(longestMs))
    longestMs = 0
  })
    .listen(path)
    .unref()
}
