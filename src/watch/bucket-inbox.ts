import { createHash } from 'node:crypto'
import { createWriteStream, openAsBlob } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileMode } from '#files'
import type { S3Client, S3Object } from '#s3'
import { doneSuffix, isIgnored, nameParts, problemSuffixes, shortName } from './file-name.ts'
import { type DroppedFile, type Inbox, listedMax } from './inbox.ts'

export interface BucketInboxParts {
  /** As messages and states show it: `s3://bucket/prefix`. */
  readonly name: string
  readonly client: S3Client
  /** A folder of this machine, in which one for copies of objects is created. */
  readonly temporaryFolder: string
}

/**
 * Objects that are put below a prefix of a bucket. A bucket cannot move an object: it is copied and
 * then deleted. The copy names the object that it was made of, its claim. So a move that was
 * interrupted is recognised, and ended instead of being made a second time.
 */
export const bucketInbox = ({ name, client, temporaryFolder }: BucketInboxParts): Inbox => {
  let folder: Promise<string> | undefined
  const localFile = async (each: string, suffix = ''): Promise<string> => {
    folder ??= mkdtemp(join(temporaryFolder, 'selvedge-watch-'))
    return join(await folder, `${shortName(each)}${suffix}`)
  }

  /** Ends the claim of an object that is still in its first place as well. */
  const endClaim = async (each: string): Promise<void> => {
    const copy = await client.head(`working/${each}`)
    const original = copy && (await client.head(each))
    if (copy && original && claimFor(original) === claimOf(copy)) {
      await client.remove(each, original.etag)
      await client.remove(`${each}${doneSuffix}`)
    }
    // The marker of an object that has come since under the same name stays.
    if (copy && !original) await client.remove(`${each}${doneSuffix}`)
  }

  /** The name of an object in another place: its own, or if another object has that, with a mark. */
  const placeIn = async (to: string, each: string, claim: string): Promise<string> => {
    const plain = `${to}/${shortName(each)}`
    const other = await client.head(plain)
    if (!other || claimOf(other) === claim) return plain
    const { stem, extensions } = nameParts(each)
    const mark = createHash('sha256').update(claim).digest('hex').slice(0, 8)
    return `${to}/${stem}-${mark}${extensions}`
  }

  /** Deletes what an interrupted move to `failed` has left of an object that was then imported. */
  const removeFailed = async (each: string, claim: string): Promise<void> => {
    const place = await placeIn('failed', each, claim)
    const copy = await client.head(place)
    if (!copy || claimOf(copy) !== claim) return
    for (const suffix of Object.values(problemSuffixes)) await client.remove(`${place}${suffix}`)
    await client.remove(place)
  }

  return {
    name,
    // An object is there when the whole of it has arrived.
    appearsWhole: true,
    list: async () => {
      const objects = []
      let hasMore = false
      for await (const page of client.list('', '/')) {
        hasMore = objects.length + page.length > listedMax
        objects.push(...page.slice(0, listedMax - objects.length))
        if (hasMore) break
      }
      const names = new Set(objects.map((each) => each.name))
      const wanted = objects.filter((each) => each.name !== '' && !isIgnored(each.name))
      return {
        hasMore,
        files: wanted
          .filter(({ bytes }) => bytes <= copyBytesMax)
          .map((each) => ({ ...droppedFile(each), isComplete: names.has(each.name + doneSuffix) })),
        refused: wanted
          .filter(({ bytes }) => bytes > copyBytesMax)
          .map((each) => ({
            name: each.name,
            reason: 'is larger than 5 GB, which S3 does not copy. Split it, or compress it',
          })),
      }
    },
    listWorking: async () => {
      const left: DroppedFile[] = []
      for await (const page of client.list('working/', '/')) {
        for (const each of page) {
          if (each.name === '') continue
          await endClaim(each.name)
          left.push(droppedFile(each))
        }
      }
      return left
    },
    claim: async (file) => {
      const original = await client.head(file.name)
      if (!original || !file.version.startsWith(`${original.etag} `)) return false
      const headers = { ...original.headers, [claimHeader]: claimFor(original) }
      const isCopied = await client.copy(file.name, `working/${file.name}`, original, headers)
      if (!isCopied) return false
      await client.remove(file.name, original.etag)
      await client.remove(`${file.name}${doneSuffix}`)
      return true
    },
    open: async (each) => {
      const object = await client.get(`working/${each}`)
      if (!object) return null
      const path = await localFile(each)
      await pipeline(Readable.from(object.body), createWriteStream(path, { mode: fileMode }))
      return {
        path,
        takenMs: object.modifiedMs,
        // Only this program knows the copy; `finish` looks at the object.
        isUnchanged: async () => true,
        close: () => rm(path, { force: true }),
      }
    },
    finish: async (each, to, reports) => {
      const from = `working/${each}`
      const object = await client.head(from)
      const claim = object ? claimOf(object) : ''
      const place = await placeIn(to, each, claim)
      for (const { suffix, path } of reports) {
        await client.put(`${place}${suffix}`, await openAsBlob(path), reportHeaders)
        await rm(path, { force: true })
      }
      if (!object) return place
      const headers = { ...object.headers, [claimHeader]: claim }
      // What has been put in its place meanwhile is taken next.
      if (!(await client.copy(from, place, object, headers))) return place
      if (to !== 'failed') await removeFailed(each, claim)
      await client.remove(from, object.etag)
      return place
    },
    draft: localFile,
    close: async () => {
      if (folder) await rm(await folder, { recursive: true, force: true })
    },
  }
}

/** S3 copies up to 5 GB in one request. */
const copyBytesMax = 5 * 1024 ** 3

const claimHeader = 'x-amz-meta-selvedge-claim'

const reportHeaders = { 'content-type': 'text/plain; charset=utf-8' }

/** Which drop an object is: its content and its time. */
const claimFor = ({ etag, modifiedMs }: S3Object): string =>
  `${etag.replaceAll('"', '')} ${new Date(modifiedMs).toISOString()}`

/** Which drop a copy was made of. One that somebody else has put there is a drop of its own. */
const claimOf = (copy: S3Object): string => copy.headers[claimHeader] ?? claimFor(copy)

const droppedFile = (object: {
  readonly name: string
  readonly etag: string
  readonly bytes: number
  readonly modifiedMs: number
}): DroppedFile => ({
  name: object.name,
  bytes: object.bytes,
  modifiedMs: object.modifiedMs,
  version: `${object.etag} ${object.modifiedMs} ${object.bytes}`,
  isComplete: false,
  touchedMs: object.modifiedMs,
})
