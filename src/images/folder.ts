import { createHmac, timingSafeEqual } from 'node:crypto'
import { mkdir, mkdtemp, open, opendir, realpath, rm, rmdir, stat } from 'node:fs/promises'
import { join, resolve, sep } from 'node:path'
import { fileMode, folderMode, replaceFile } from '#files'
import { encodeRfc3986, StorageUnavailable } from '#s3'
import { contentType, downloadName } from './download.ts'
import {
  type ImageLink,
  type Images,
  isImageId,
  type OpenedLink,
  objectName,
  requireBrandName,
  requireObjectName,
  type StoredImage,
} from './images.ts'

/** The path of a folder's links on this server: `<prefix>/<brand>/<id>`, outside the API. */
export const imageFilesPath = '/files/images'

export interface FolderParts {
  readonly folder: string
  /** Signs the links. Must be the same in every process that serves the folder. */
  readonly secret: string
  /** The public URL of this server. Evaluated for each link, as the port may be known late. */
  readonly baseUrl: () => string
  readonly linkSeconds: number
  readonly now: () => number
}

/** Images that this server serves itself. */
export type FolderImages = Images & Required<Pick<Images, 'open'>>

/** Images in a local folder, one file `<brand>/<id>` each. Links are signed with HMAC-SHA256. */
export const folderImages = (parts: FolderParts): FolderImages => {
  const { secret, baseUrl, linkSeconds, now } = parts
  if (secret.length < secretLengthMin) {
    throw new Error(
      `The secret that signs image links needs ${secretLengthMin} characters or more.`,
    )
  }
  const folder = resolve(parts.folder)

  return {
    origin: () => new URL(baseUrl()).origin,

    async link(image): Promise<ImageLink | null> {
      const name = objectName(image)
      if (name === null || (await findFile(folder, image.brand, name)) === null) return null
      // Rounds down, so that no link outlives the configured time.
      const expires = Math.floor(now() / 1000) + Math.floor(linkSeconds)
      const claim: Claim = {
        brand: image.brand,
        id: image.id,
        name: downloadName(image),
        type: contentType(image),
        expires: String(expires),
      }
      const query = [
        `name=${encodeRfc3986(claim.name)}`,
        `type=${encodeRfc3986(claim.type)}`,
        `expires=${claim.expires}`,
        `signature=${sign(claim, secret).toString('base64url')}`,
      ].join('&')
      return {
        url: `${baseUrl().replace(/\/$/, '')}${imageFilesPath}/${name}?${query}`,
        expiresAt: new Date(expires * 1000).toISOString(),
      }
    },

    async open(path, query): Promise<OpenedLink> {
      const link = parseLink(path, query)
      if (link === null || !isSignedBy(link, secret)) return 'refused'
      const { claim, name } = link
      if (Math.floor(now() / 1000) > Number(claim.expires)) return 'refused'
      const file = await findFile(folder, claim.brand, name)
      return file === null ? 'missing' : { ...file, mimeType: claim.type, fileName: claim.name }
    },

    async put(image, bytes): Promise<void> {
      const name = requireObjectName(image)
      try {
        await write(folder, image, name, bytes)
      } catch (cause) {
        throw new StorageUnavailable(`The image folder ${folder} cannot be written.`, { cause })
      }
    },

    async *ids(brand): AsyncIterable<readonly string[]> {
      const home = join(folder, requireBrandName(brand))
      try {
        const entries = await opendir(home)
        let batch: string[] = []
        for await (const entry of entries) {
          if (!isImageId(entry.name)) continue
          batch.push(entry.name)
          if (batch.length < idsBatch) continue
          yield batch
          batch = []
        }
        if (batch.length > 0) yield batch
      } catch (cause) {
        if (absent.has(codeOf(cause))) return
        throw new StorageUnavailable(`The image folder ${folder} cannot be read.`, { cause })
      }
    },

    async remove(image): Promise<void> {
      const name = requireObjectName(image)
      try {
        await rm(join(folder, name), { force: true })
        // Removes the folder of a brand without images. One with other files stays.
        await rmdir(join(folder, image.brand)).catch(() => undefined)
      } catch (cause) {
        throw new StorageUnavailable(`The image folder ${folder} cannot be written.`, { cause })
      }
    },

    async close() {},
  }
}

const idsBatch = 1_000

/** A shorter secret could be guessed from one link. */
const secretLengthMin = 16

/** The signed parts of a link, all as text. */
interface Claim {
  readonly brand: string
  readonly id: string
  readonly name: string
  readonly type: string
  readonly expires: string
}

interface ParsedLink {
  readonly claim: Claim
  readonly signature: string
  /** The name of the object. */
  readonly name: string
}

/** JSON separates the parts unambiguously. The first part is a version. */
const sign = ({ brand, id, name, type, expires }: Claim, secret: string): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify(['selvedge image link 1', brand, id, name, type, expires]))
    .digest()

const isSignedBy = ({ claim, signature }: ParsedLink, secret: string): boolean => {
  const expected = sign(claim, secret)
  const actual = Buffer.from(signature, 'base64url')
  // Decoding ignores padding, other alphabets and stray bits, so only the canonical form is valid.
  return (
    actual.length === expected.length &&
    timingSafeEqual(actual, expected) &&
    actual.toString('base64url') === signature
  )
}

const pathPattern = new RegExp(`^${imageFilesPath}/([^/]+)/([^/]+)$`)
const expiresPattern = /^[1-9]\d{0,11}$/
const parameterNames = ['name', 'type', 'expires', 'signature']

/** Parses a link; null if it does not have the form of our links. */
const parseLink = (path: string, query: string): ParsedLink | null => {
  const [, brand = '', id = ''] = pathPattern.exec(path) ?? []
  const name = objectName({ brand, id })
  const parameters = new URLSearchParams(query)
  const once = parameterNames.every((each) => parameters.getAll(each).length === 1)
  if (name === null || !once || parameters.size !== parameterNames.length) return null
  const value = (parameter: string) => parameters.get(parameter) ?? ''
  const expires = value('expires')
  if (!expiresPattern.test(expires)) return null
  return {
    name,
    signature: value('signature'),
    claim: { brand, id, name: value('name'), type: value('type'), expires },
  }
}

/**
 * The regular file of an object, or null. A symbolic link may lead to another file of the same
 * brand, never out of the brand's folder.
 */
const findFile = async (
  folder: string,
  brand: string,
  name: string,
): Promise<{ readonly file: string; readonly sizeBytes: number } | null> => {
  try {
    const home = join(await realpath(folder), brand) + sep
    const file = await realpath(join(folder, name))
    if (!file.startsWith(home)) return null
    const status = await stat(file)
    return status.isFile() ? { file, sizeBytes: status.size } : null
  } catch (cause) {
    if (absent.has(codeOf(cause))) return null
    throw new StorageUnavailable(`The image folder ${folder} cannot be read.`, { cause })
  }
}

/** Error codes that mean that the file does not exist. */
const absent: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ELOOP'])

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : ''

const write = async (
  folder: string,
  image: StoredImage,
  name: string,
  bytes: Uint8Array,
): Promise<void> => {
  const home = join(folder, image.brand)
  await mkdir(home, { recursive: true, mode: folderMode })
  const real = await realpath(folder)
  if ((await realpath(home)) !== join(real, image.brand)) {
    throw new Error(`${home} is a link out of the image folder.`)
  }
  // The leading dot prevents a collision with a brand's name.
  const aside = await mkdtemp(join(real, '.put-'))
  try {
    await replaceFile(
      join(real, name),
      async (draft) => {
        const handle = await open(draft, 'wx', fileMode)
        try {
          await handle.writeFile(bytes)
          await handle.sync()
        } finally {
          await handle.close()
        }
      },
      join(aside, image.id),
    )
  } finally {
    await rm(aside, { recursive: true, force: true })
  }
}
