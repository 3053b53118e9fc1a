import { createS3Client, readS3Url, type S3Client, shownUrl } from '#s3'
import { readServiceConfig } from '#server'
import { CommandError, UsageError } from './output.ts'

/** Whether an address is that of a bucket, and not a path. */
export const isBucket = (address: string): boolean => /^s3:/i.test(address)

/** The objects at an address such as `s3://bucket/prefix`, and its name without parameters. */
export const openBucketClient = (
  address: string,
): { readonly name: string; readonly client: S3Client } => {
  const place = readS3Url(address)
  if ('problem' in place) {
    throw new UsageError(`The address ${JSON.stringify(shownUrl(address))} ${place.problem}.`)
  }
  const name = shownUrl(address).replace(/\/$/, '')
  const { s3Credentials } = readServiceConfig()
  if (!s3Credentials) {
    throw new CommandError(
      `${name} needs an access key id and a secret access key. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    )
  }
  const client = createS3Client({
    ...place,
    ...s3Credentials,
    what: `The bucket ${place.bucket}`,
    now: Date.now,
    timeoutMs,
  })
  return { name, client }
}

const timeoutMs = 10_000
