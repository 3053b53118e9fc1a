import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderImages } from './folder.ts'
import type { Images } from './images.ts'
import { type S3Credentials, type S3Place, s3Images } from './s3.ts'

export interface ImagesParts {
  /** Signs the links of a folder; 16 characters or more. Not used with a bucket. */
  readonly secret: string
  /** Address of this server as clients see it, for the links of a folder. */
  readonly baseUrl: () => string
  readonly linkSeconds: number
  readonly now: () => number
  /** How long to wait for a bucket. */
  readonly timeoutMs: number
  /** Required for a bucket. */
  readonly credentials?: S3Credentials
}

/**
 * The storage an address names: `file:./data/images` (relative to the working directory, or
 * absolute) or
 * `s3://bucket/prefix?endpoint=http://127.0.0.1:9000&region=us-east-1&path-style=true`.
 * Throws an Error with a sentence for the operator. Nothing is contacted yet.
 */
export const openImages = (url: string, parts: ImagesParts): Images => {
  const place = readImagesUrl(url)
  if ('problem' in place) {
    const address = JSON.stringify(shown(url))
    throw new Error(`The image storage address ${address} ${place.problem}.`)
  }
  const { secret, baseUrl, linkSeconds, now, timeoutMs, credentials } = parts
  if ('folder' in place) return folderImages({ ...place, secret, baseUrl, linkSeconds, now })
  if (!credentials?.accessKeyId || !credentials.secretAccessKey) {
    throw new Error(
      `The image storage s3://${place.bucket} needs an access key id and a secret access key. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    )
  }
  return s3Images({ ...place, ...credentials, linkSeconds, now, timeoutMs })
}

/** What is wrong with an address of image storage, as a predicate for its name; or undefined. */
export const checkImagesUrl = (url: string): string | undefined => {
  const place = readImagesUrl(url)
  return 'problem' in place ? place.problem : undefined
}

type Place = { readonly folder: string } | S3Place | { readonly problem: string }

const readImagesUrl = (url: string): Place => {
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase()
  if (scheme === 'file') return readFileUrl(url)
  if (scheme === 's3') return readS3Url(url)
  return problem('must begin with file: or s3://, such as file:./data/images')
}

const problem = (reason: string): { readonly problem: string } => ({ problem: reason })

/** Parameters and user names are not logged: a mistaken address may contain a secret. */
const shown = (url: string): string => url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//***@')

/** The URL standard has no relative folders (`file:./a` would be `/a`), so they are read here. */
const readFileUrl = (url: string): Place => {
  const rest = url.slice('file:'.length)
  if (/[?#]/.test(rest)) return problem('must not have parameters: a file: address is a folder')
  if (rest === '') return problem('does not name a folder')
  try {
    const folder = rest.startsWith('//') ? fileURLToPath(url) : resolve(decodeURIComponent(rest))
    return folder.includes('\0') ? problem('is not a folder') : { folder }
  } catch {
    return problem('is not a folder on this machine')
  }
}

const parameterNames = ['endpoint', 'region', 'path-style'] as const

const readS3Url = (url: string): Place => {
  const parsed = URL.parse(url)
  if (!parsed || !/^s3:\/\//i.test(url)) return problem('must look like s3://bucket/prefix')
  if (parsed.username || parsed.password) {
    return problem(
      'must not contain credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead',
    )
  }
  if (parsed.port || parsed.hash) return problem('must look like s3://bucket/prefix')
  const bucket = parsed.hostname
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket)) {
    return problem('must name a bucket: 3 to 63 lower-case letters, digits, dots and hyphens')
  }

  const prefix = readPrefix(parsed.pathname)
  if (prefix === null)
    return problem(
      'has a prefix with an empty, . or .. part, or with a slash or control character in a part',
    )

  const parameters = parsed.searchParams
  for (const name of parameters.keys()) {
    if (!parameterNames.some((each) => each === name)) {
      return problem(
        `has an unknown parameter ${JSON.stringify(name)}; use ${parameterNames.join(', ')}`,
      )
    }
    if (parameters.getAll(name).length > 1) return problem(`has ${name} more than once`)
  }

  const region = parameters.get('region') ?? 'us-east-1'
  if (!/^[a-z0-9-]+$/.test(region)) {
    return problem('must have a region such as us-east-1, or none')
  }
  const endpoint = parameters.get('endpoint') ?? `https://s3.${region}.amazonaws.com`
  if (!isEndpoint(endpoint)) {
    return problem('must have an endpoint such as http://127.0.0.1:9000, or none')
  }
  const pathStyle = parameters.get('path-style') ?? String(parameters.has('endpoint'))
  if (pathStyle !== 'true' && pathStyle !== 'false') {
    return problem('must have path-style=true or path-style=false, or none')
  }
  return { bucket, prefix, endpoint, region, pathStyle: pathStyle === 'true' }
}

/** Segments that a URL would normalise away are rejected: the object must be where its name says. */
const readPrefix = (pathname: string): string | null => {
  const trimmed = pathname.replace(/^\//, '').replace(/\/$/, '')
  if (trimmed === '') return ''
  try {
    const segments = trimmed.split('/').map(decodeURIComponent)
    const usable = segments.every((each) => /^(?!\.{1,2}$)[^/\p{Cc}]+$/u.test(each))
    return usable ? segments.join('/') : null
  } catch {
    return null
  }
}

const isEndpoint = (endpoint: string): boolean => {
  const parsed = URL.parse(endpoint)
  return (
    parsed !== null &&
    (parsed.protocol === 'http:' || parsed.protocol === 'https:') &&
    !parsed.username &&
    !parsed.password &&
    !parsed.search &&
    !parsed.hash
  )
}
