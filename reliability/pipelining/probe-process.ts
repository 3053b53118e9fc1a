/** Requests /healthz repeatedly. Each message returns the response times since the last message. */
import { Agent, get } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { ProbeOutcome } from './clients.ts'

const [, , port = ''] = process.argv
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
const backoffMs = 5

let slowestMs = 0
let times = 0
process.on('message', () => {
  process.send?.({ times, slowestMs } satisfies ProbeOutcome)
  slowestMs = 0
  times = 0
})

const ask = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { 'x-forwarded-for': `172.16.${times & 255}.1` }
    get({ host: '127.0.0.1', port, path: '/healthz', agent, headers }, (response) => {
      response.resume().once('end', resolve)
    }).once('error', reject)
  })

while (process.connected) {
  const began = performance.now()
  await ask()
  slowestMs = Math.max(slowestMs, performance.now() - began)
  times += 1
  await wait(backoffMs)
}
agent.destroy()
