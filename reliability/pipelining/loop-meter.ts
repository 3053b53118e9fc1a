/**
 * Preloaded into a serving process. Reports the maximum CPU time of one event loop turn since the
 * last report to each client of the socket `LOOP_METER`. Unlike wall time, CPU time excludes other
 * processes on a busy machine.
 */
import { createServer } from 'node:net'

const { LOOP_METER: path } = process.env
let longestMs = 0
let before = process.threadCpuUsage()

if (path !== undefined) {
  // Timers run once per turn, so the interval covers one turn or a few short ones.
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
