import { createHash } from 'node:crypto'
import { createWriteStream, openAsBlob, openSync } from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileMode } from '#files'
import { SourceError } from '#ingest'
import { type ListedObject, type S3Client, type S3Object, StorageUnavailable } from '#s3'
import { doneSuffix, isIgnored, nameParts, problemSuffixes, shortName } from './file-name.ts'
import { type DroppedFile, type Inbox, type Listing, listedMax, refusedMax } from './inbox.ts'

export interface BucketInboxParts {
  /** As messages and states show it: `s3://bucket/prefix`. */
  readonly name: string
  readonly client: S3Client
  /** A folder of this machine, in which one for copies of objects is created. */
  readonly temporaryFolder: string
  /** Whether an object stays where it is, by its name. */
  readonly ignores?: (name: string) => boolean
}

/**
 * Objects that are put below a prefix of a bucket. A bucket cannot move an object: it is copied and
 * then deleted. The copy names the object that it was made of, its claim. So a move that was
 * interrupted is recognised, and ended instead of being made a second time.
 */
export const bucketInbox = (parts: BucketInboxParts): Inbox => {
  const { name, client, temporaryFolder, ignores = () => false } = parts
  let folder: Promise<string> | undefined
  /** What is refused below `working`, for the next listing. */
  let refusedWorking: Listing['refused'] = []

  /** Named by a hash: the name of an object is not a path of this machine. */
  const localFile = async (each: string, suffix = ''): Promise<string> => {
    folder ??= mkdtemp(join(temporaryFolder, 'selvedge-watch-'))
    return join(await folder, `${createHash('sha256').update(each).digest('hex')}${suffix}`)
  }

  /**
   * The objects directly below a name, at most `listedMax` of them, markers and others that are not
   * taken as many again, and at most `refusedMax` of those that are refused.
   */
  const listBelow = async (below: '' | 'working/' | 'failed/') => {
    const isLeft = (each: string) => isIgnored(each) || (below === '' && ignores(each))
    const objects: ListedObject[] = []
    const ignored: ListedObject[] = []
    const refused: { name: string; reason: string }[] = []
    let pages = 0
    for await (const page of client.list(below, '/')) {
      for (const each of page) {
        if (each.name === '') continue
        const reason = refusalOf(each, isLeft)
        if (reason !== null) {
          const shown = `${below}${each.name}`.slice(0, shownNameMax)
          if (refused.length < refusedMax) refused.push({ name: shown, reason })
        } else if (isLeft(each.name)) {
          if (ignored.length < listedMax) ignored.push(each)
        } else if (objects.length === listedMax) {
          return { objects, ignored, refused, hasMore: true }
        } else objects.push(each)
      }
      pages += 1
      if (pages === pagesMax) {
        throw new StorageUnavailable(
          `${name} lists ${pagesMax} pages with fewer than ${listedMax.toLocaleString('en')} files. Use a prefix with fewer folders and other objects below it.`,
        )
      }
    }
    return { objects, ignored, refused, hasMore: false }
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

  const clearProblems = async (failedName: string): Promise<void> => {
    for (const suffix of Object.values(problemSuffixes)) {
      await client.remove(`failed/${failedName}${suffix}`)
    }
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
      const { objects, ignored, refused, hasMore } = await listBelow('')
      const markers = new Set(ignored.map((each) => each.name))
      return {
        hasMore,
        files: objects.map((each) => ({
          ...droppedFile(each),
          isComplete: markers.has(`${each.name}${doneSuffix}`),
        })),
        refused: [...refused, ...refusedWorking],
      }
    },
    listWorking: async () => {
      const { objects, ignored, refused } = await listBelow('working/')
      refusedWorking = refused
      const all = [...objects, ...ignored]
      for (const each of all) await endClaim(each.name)
      return all.map(droppedFile)
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
    open: async (each, from = 'working') => {
      const object = await client.get(from === '' ? each : `${from}/${each}`)
      if (!object) return null
      const path = await localFile(each)
      const copy = createWriteStream(path, { mode: fileMode })
      try {
        await pipeline(Readable.from(limited(object.body)), copy)
      } catch (error) {
        await rm(path, { force: true })
        throw error
      }
      const handle = await open(path)
      return {
        descriptor: handle.fd,
        bytes: (await handle.stat()).size,
        takenMs: object.modifiedMs,
        // Only this program knows the copy; `finish` looks at the object.
        isUnchanged: async () => true,
        close: async () => {
          await handle.close()
          await rm(path, { force: true })
        },
      }
    },
    finish: async (each, to, reports) => {
      const from = `working/${each}`
      const object = await client.head(from)
      const claim = object ? claimOf(object) : ''
      const place = await placeIn(to, each, claim)
      for (const { suffix, location, discard } of reports) {
        await client.put(`${place}${suffix}`, await openAsBlob(location), reportHeaders)
        await discard()
      }
      if (!object) return place
      const headers = { ...object.headers, [claimHeader]: claim }
      // What has been put in its place meanwhile is taken next.
      if (!(await client.copy(from, place, object, headers))) return place
      if (to !== 'failed') await removeFailed(each, claim)
      await client.remove(from, object.etag)
      return place
    },
    failedNames: async (each) => {
      const { stem, extensions } = nameParts(each)
      const { objects } = await listBelow('failed/')
      const marked = new RegExp(
        `^${RegExp.escape(stem)}(-[0-9a-f]{8})?${RegExp.escape(extensions)}$`,
      )
      return objects.map((object) => object.name).filter((name) => marked.test(name))
    },
    clearProblems,
    takeBack: async (failedName, each) => {
      const from = `failed/${failedName}`
      const object = await client.head(from)
      if (!object) return
      const headers = { ...object.headers, [claimHeader]: claimOf(object) }
      if (!(await client.copy(from, `working/${each}`, object, headers))) return
      await clearProblems(failedName)
      await client.remove(from, object.etag)
    },
    draft: async (each, suffix) => {
      const location = await localFile(each, suffix)
      const discard = () => rm(location, { force: true })
      await discard()
      return { suffix, location, descriptor: openSync(location, 'wx', fileMode), discard }
    },
    close: async () => {
      if (folder) await rm(await folder, { recursive: true, force: true })
    },
  }
}

/** S3 copies up to 5 GB in one request. */
const copyBytesMax = 5 * 1024 ** 3

/** A page has 1,000 objects and folders. Most of a hundred pages could be folders. */
const pagesMax = 100

/** An object key has at most 1,024 bytes; what else an endpoint sends is cut. */
const shownNameMax = 1_024

/** Whether a name is that of an object directly below the prefix, and of a file anywhere. */
const isPlainName = (name: string): boolean =>
  /^[^/\\\0]+$/.test(name) && name !== '.' && name !== '..' && name.isWellFormed()

/** Why an object is never taken; null where it is. */
const refusalOf = (
  { name, bytes }: ListedObject,
  isLeft: (name: string) => boolean,
): string | null => {
  if (!isPlainName(name)) {
    return 'has a name with a slash, a backslash or NUL, or is . or .., and is not taken. Give it another name'
  }
  return bytes > copyBytesMax && !isLeft(name)
    ? 'is larger than 5 GB, which S3 does not copy. Split it, or compress it'
    : null
}

/** A body without end would fill the disk. */
async function* limited(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let bytes = 0
  for await (const piece of body) {
    bytes += piece.length
    if (bytes > copyBytesMax) throw new SourceError('is larger than 5 GB, and was not read')
    yield piece
  }
}

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
