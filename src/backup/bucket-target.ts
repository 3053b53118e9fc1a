import { type S3Client, type S3Upload, StorageUnavailable } from '#s3'
import { damaged } from './backup-error.ts'
import {
  type BackupDraft,
  type BackupTarget,
  type BegunBackup,
  backupName,
  ownBackups,
} from './target.ts'

/** Some storages require that all parts but the last have the same size. */
const partBytesMin = 16 * 1_048_576
/** A storage takes 10,000. */
const partsMax = 9_000
/** An upload that was begun so long ago is not in progress. */
const abandonedMs = 24 * 3_600_000

const headers = { 'content-type': 'application/octet-stream' }

/** A bucket below a prefix, which can be reached. */
export const openBucketTarget = async (name: string, client: S3Client): Promise<BackupTarget> => {
  const list = async (installation: string) => {
    const names: string[] = []
    for await (const page of client.list('selvedge-', '/')) {
      names.push(...page.map((object) => `selvedge-${object.name}`))
    }
    return ownBackups(names, installation)
  }
  await list('')
  return {
    name,
    isOneFile: false,
    create: async (begun) => {
      await abortLeftOvers(client, begun)
      return createDraft(client, begun, name)
    },
    list,
    remove: (object) => client.remove(object),
  }
}

/** Best effort: not every storage can list uploads. */
const abortLeftOvers = async (
  client: S3Client,
  { installation, at }: BegunBackup,
): Promise<void> => {
  try {
    for (const upload of await client.uploads('selvedge-')) {
      const isOwn = ownBackups([upload.name], installation).length > 0
      if (isOwn && at - upload.begunMs > abandonedMs) await upload.abort()
    }
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error
  }
}

/** Sends a short backup at once and a longer one in parts. Nothing exists before it is complete. */
const createDraft = (client: S3Client, begun: BegunBackup, place: string): BackupDraft => {
  const name = backupName(begun)
  const partBytes = Math.max(partBytesMin, Math.ceil(begun.bytesMax / partsMax))
  const buffer = Buffer.alloc(partBytes)
  let filled = 0
  let upload: S3Upload | null = null
  let isComplete = false

  const sendPart = async (): Promise<void> => {
    upload ??= await client.upload(name, headers)
    await upload.add(buffer.subarray(0, filled))
    filled = 0
  }

  return {
    write: async (bytes) => {
      for (let at = 0; at < bytes.length; ) {
        if (filled === partBytes) await sendPart()
        const part = bytes.subarray(at, at + partBytes - filled)
        buffer.set(part, filled)
        filled += part.length
        at += part.length
      }
    },
    finish: async () => {
      isComplete = true
      if (!upload) return client.put(name, buffer.subarray(0, filled), headers)
      await sendPart()
      await upload.complete()
    },
    async *read() {
      const object = await client.get(name)
      if (!object) throw damaged('the storage does not have it')
      yield* object.body
    },
    publish: async () => {
      upload = null
      isComplete = false
      return `${place}/${name}`
    },
    abort: async () => {
      // A request that was reported as failed may have been executed.
      if (isComplete) await client.remove(name).catch(() => undefined)
      await upload?.abort().catch(() => undefined)
    },
  }
}
