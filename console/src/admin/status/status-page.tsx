import type { OperatorHealth, OperatorStorage } from '../../../../src/contract/index.ts'
import { Skeleton } from '../../charts/part.tsx'
import { clockText } from '../../figures.ts'
import { Failure } from '../../states.tsx'
import { adminTexts } from '../../texts/admin.ts'
import { Page } from '../page.tsx'
import { Health } from './health.tsx'
import { useLive } from './live.ts'
import { Storage } from './storage.tsx'

/** Whether everything works that the installation needs, and the space that it takes. */
export const StatusPage = () => {
  const words = adminTexts().storage
  const health = useLive<OperatorHealth>('/health')
  const storage = useLive<OperatorStorage>('/storage')
  const refresh = () => {
    health.refresh()
    storage.refresh()
  }
  return (
    <Page
      title={words.title}
      about={
        <>
          {health.readAt && words.checkedAt(clockText(health.readAt))}{' '}
          {health.isLive ? words.refreshes : words.stopped}
        </>
      }
      actions={
        <button type="button" onClick={refresh}>
          {adminTexts().tables.refresh}
        </button>
      }
    >
      {/* A part that fails while the other works says so, and keeps what it has shown. */}
      {health.error && <Failure error={health.error} />}
      {health.data ? <Health health={health.data} /> : !health.error && <Skeleton lines={6} />}
      {storage.error && <Failure error={storage.error} />}
      {storage.data ? <Storage storage={storage.data} /> : !storage.error && <Skeleton lines={6} />}
    </Page>
  )
}
