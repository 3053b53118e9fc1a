/** The address of image storage, and the name of a download. */
import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe, it } from 'node:test'
import { checkImagesUrl, contentDisposition, openImages } from '#images'
import {
  bytes,
  credentials,
  image,
  noon,
  remove,
  secret,
  signV4,
  temporaryFolder,
} from '../support/images.ts'

describe('the address of image storage', () => {
  const parts = {
    secret,
    baseUrl: () => 'http://127.0.0.1:3000',
    linkSeconds: 900,
    now: () => noon,
    timeoutMs: 2_000,
  }

  for (const [url, problem] of [
    ['', /must begin with file: or s3:/],
    ['./data/images', /must begin with file: or s3:/],
    ['https://example.com/images', /must begin with file: or s3:/],
    ['file:', /does not name a folder/],
    ['file:./images?mode=fast', /must not have parameters/],
    ['file:./images#top', /must not have parameters/],
    ['file://elsewhere/images', /is not a folder on this machine/],
    ['file:./%zz', /is not a folder on this machine/],
    ['file:./%00', /is not a folder/],
    ['s3:bucket', /must look like s3:\/\/bucket\/prefix/],
    ['s3://', /s3:\/\/bucket|must name a bucket/],
    ['s3://pictures:9000/a', /must look like s3:\/\/bucket\/prefix/],
    ['s3://pictures/a#top', /must look like s3:\/\/bucket\/prefix/],
    ['s3://My_Bucket/a', /must name a bucket/],
    ['s3://key:hidden@pictures/a', /must not contain credentials/],
    ['s3://pictures/a//b', /has a prefix with an empty/],
    ['s3://pictures/a%2Fb', /has a prefix with an empty/],
    ['s3://pictures/a%00', /has a prefix with an empty/],
    ['s3://pictures?colour=red', /unknown parameter "colour"; use endpoint, region/],
    ['s3://pictures?region=a&region=b', /has region more than once/],
    ['s3://pictures?region=EU%20', /must have a region such as/],
    ['s3://pictures?endpoint=127.0.0.1:9000', /must have an endpoint such as/],
    ['s3://pictures?endpoint=ftp://127.0.0.1', /must have an endpoint such as/],
    ['s3://pictures?endpoint=http://a:hidden@b', /must have an endpoint such as/],
    ['s3://pictures?path-style=yes', /must have path-style=true/],
  ] as const) {
    it(`${url || 'an empty address'} is refused in a sentence`, () => {
      const sentence = checkImagesUrl(url) ?? ''
      assert.match(sentence, problem)
      assert.match(sentence, /^(must|does|is|has) .*[^.]$/)
      assert.throws(
        () => openImages(url, { ...parts, credentials }),
        ({ message }: Error) =>
          /^The image storage address ".*" /.test(message) &&
          message.endsWith(` ${sentence}.`) &&
          !message.includes('hidden'),
      )
    })
  }

  for (const url of [
    'file:./data/images',
    'file:data/images',
    'file:/var/lib/images',
    'file:///var/lib/my%20images',
    's3://pictures',
    's3://pictures/',
    's3://pictures/a/b%20c/?region=eu-west-1',
    's3://pictures/a?endpoint=http://127.0.0.1:9000&region=us-east-1&path-style=true',
    's3://pictures/a?endpoint=https%3A%2F%2Fexample.com%2Fstorage%2Fs3&path-style=false',
  ]) {
    it(`${url} is accepted`, async () => {
      assert.equal(checkImagesUrl(url), undefined)
      const images = openImages(url, { ...parts, credentials })
      assert.equal(typeof images.open, url.startsWith('file:') ? 'function' : 'undefined')
      await images.close()
    })
  }

  it('a bucket without credentials is refused in a sentence', () => {
    for (const incomplete of [
      parts,
      { ...parts, credentials: { accessKeyId: '', secretAccessKey: 'a' } },
      { ...parts, credentials: { accessKeyId: 'a', secretAccessKey: '' } },
    ]) {
      assert.throws(
        () => openImages('s3://pictures', incomplete),
        /The image storage s3:\/\/pictures needs an access key id/,
      )
    }
  })

  it('a folder is relative to the working directory', async () => {
    const folder = await temporaryFolder()
    const started = process.cwd()
    try {
      process.chdir(folder)
      const images = openImages('file:./some%20where/images', parts)
      process.chdir(started)
      await images.put(image, bytes)
      assert.deepEqual(await readdir(resolve(folder, 'some where/images/acme')), [image.id])
    } finally {
      process.chdir(started)
      await remove(folder)
    }
  })

  it('a bucket is found by path with an endpoint, and by host without or where asked', async (t) => {
    const urls: string[] = []
    // No network here: only the address of the question is of interest.
    t.mock.method(globalThis, 'fetch', async (request: Request) => {
      urls.push(request.url)
      return new Response()
    })
    for (const [url, address] of [
      ['s3://pictures/a', 'https://pictures.s3.us-east-1.amazonaws.com/a'],
      ['s3://pictures/a?region=eu-west-1', 'https://pictures.s3.eu-west-1.amazonaws.com/a'],
      ['s3://pictures?path-style=true', 'https://s3.us-east-1.amazonaws.com/pictures'],
      ['s3://pictures/a/?endpoint=http://127.0.0.1:9000', 'http://127.0.0.1:9000/pictures/a'],
      ['s3://pictures?endpoint=https://b.example&path-style=false', 'https://pictures.b.example'],
      ['s3://pictures?endpoint=https://b.example/s3/', 'https://b.example/s3/pictures'],
    ] as const) {
      const made = await openImages(url, { ...parts, credentials }).link(image)
      const expected = `${address}/${image.brand}/${image.id}`
      assert.equal(urls.pop(), expected)
      assert.ok(made)
      assert.ok(made.url.startsWith(`${expected}?`), made.url)
      const signed = new URL(made.url)
      const region = signed.searchParams.get('X-Amz-Credential')?.split('/')[2] ?? ''
      assert.equal(
        signed.searchParams.get('X-Amz-Signature'),
        signV4(signed, { region, ...credentials }),
      )
    }
  })
})

describe('the name a download is given', () => {
  for (const [fileName, disposition] of [
    ['front.png', 'inline; filename="front.png"'],
    ['', 'inline; filename="image"'],
    ['a"b\\c/d.png', 'inline; filename="a_b_c_d.png"; filename*=UTF-8\'\'a%22b_c_d.png'],
    [
      "größe (1)'.png",
      "inline; filename=\"gr__e (1)'.png\"; filename*=UTF-8''gr%C3%B6%C3%9Fe%20%281%29%27.png",
    ],
    ['a\r\nb\0\u202egnp.exe', 'inline; filename="a__b__gnp.exe"'],
    ['\ud800.png', 'inline; filename="_.png"; filename*=UTF-8\'\'%EF%BF%BD.png'],
  ] as const) {
    it(`${JSON.stringify(fileName)} becomes ${disposition}`, () => {
      assert.equal(contentDisposition({ mimeType: 'image/png', fileName }), disposition)
    })
  }

  for (const [mimeType, way] of [
    ['image/webp', 'inline'],
    ['IMAGE/JPEG', 'inline'],
    ['image/svg+xml', 'attachment'],
    ['text/html', 'attachment'],
    ['application/pdf', 'attachment'],
    ['image/png; charset=x', 'attachment'],
    ['', 'attachment'],
  ] as const) {
    it(`"${mimeType}" is served ${way}`, () => {
      assert.equal(contentDisposition({ mimeType, fileName: 'a' }), `${way}; filename="a"`)
    })
  }
})
