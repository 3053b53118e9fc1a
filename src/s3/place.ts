export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

/** The location of a bucket, and its addressing style. */
export interface S3Place {
  readonly bucket: string
  /** The prefix of every object name, without leading and trailing slashes; may be empty. */
  readonly prefix: string
  /** Such as `http://127.0.0.1:9000`. */
  readonly endpoint: string
  readonly region: string
  /** `endpoint/bucket/object` when true, `bucket.endpoint/object` otherwise. */
  readonly pathStyle: boolean
}

const parameterNames = ['endpoint', 'region', 'path-style'] as const

/**
 * Parses a URL such as
 * `s3://bucket/prefix?endpoint=http://127.0.0.1:9000&region=us-east-1&path-style=true`, or returns
 * its problem as a predicate for its name.
 */
export const readS3Url = (url: string): S3Place | { readonly problem: string } => {
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

const problem = (reason: string): { readonly problem: string } => ({ problem: reason })

/** Rejects segments that a URL would normalise away: an object must be at its exact name. */
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

/** Hides parameters and user names: a mistaken URL may contain a secret. */
export const shownUrl = (url: string): string =>
  url.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//***@')

/** The full name of an object in its bucket. */
export const objectKey = ({ prefix }: S3Place, name: string): string =>
  `${prefix === '' ? '' : `${prefix}/`}${name}`

export const bucketUrl = ({ bucket, endpoint, pathStyle }: S3Place): string => {
  const { protocol, host, pathname } = new URL(endpoint)
  const base = pathname.replace(/\/$/, '')
  return pathStyle
    ? `${protocol}//${host}${base}/${bucket}/`
    : `${protocol}//${bucket}.${host}${base}/`
}

export const objectUrl = (place: S3Place, name: string): string =>
  bucketUrl(place) + encodeKey(objectKey(place, name))

/** Encodes a name for URLs and headers. */
export const encodeKey = (key: string): string => key.split('/').map(encodeRfc3986).join('/')

/** Percent-encodes all but the unreserved characters; `encodeURIComponent` leaves five more. */
export const encodeRfc3986 = (text: string): string =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
