import { flushCompileCache } from 'node:module'
import { parentPort } from 'node:worker_threads'
import type { PostedTask, UploadMessage } from '#admin'
import { cacheCompiledSources, lowerThreadPriority } from '#installation'

lowerThreadPriority(5)
cacheCompiledSources()
const { runUploadTask } = await import('./upload-task.ts')
const send = (message: UploadMessage) => parentPort?.postMessage(message)

parentPort?.on('message', async (task: PostedTask) => {
  send(await runUploadTask(task, (progress) => send({ progress })))
  flushCompileCache()
})
