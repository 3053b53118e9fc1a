import { loadAdminService } from '#server'
import { type AdminMessage, type AdminStart, adminChannel, linkAt } from './admin-process.ts'
import { onFreePort } from './single.ts'
import { runSupervised } from './supervised-service.ts'

/** An operation that takes longer ends when `serve` has ended. */
const endMs = 5_000

/** Runs in the process of the operator page, on a port of its own. */
export const serveAdmin = (): Promise<void> => {
  const { port, triesNext, apiUrl } = JSON.parse(process.argv.at(-1) ?? '') as AdminStart
  process.once('disconnect', () => setTimeout(() => process.exit(1), endMs).unref())
  return runSupervised({
    titles: ['selvedge admin', 'selvedge admin'],
    prepare: async (config, { log, supervised, onUnreachable }) => {
      const channel = supervised.channel(adminChannel)
      const send = (message: AdminMessage) => process.connected && channel.send(message)
      const prepareAdmin = await loadAdminService()
      const service = await prepareAdmin(config, { log, apiUrl, onUnreachable })
      return {
        listen: async () => {
          const listening = triesNext ? onFreePort(port, service.listen) : service.listen(port)
          const { url } = await listening
          channel.onMessage(async (message) => {
            const { operator } = message as { readonly operator: string }
            const { token } = await service.sessions.issueLink(operator)
            send({ url, link: linkAt(url, token) })
          })
          send({ url, link: null })
        },
        close: service.close,
      }
    },
  })
}
