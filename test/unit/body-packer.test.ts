/** The stored form of a body, and the memory that bodies take. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { zstdCompressSync } from 'node:zlib'
import { openBodyPacker } from '#intake'
import { type BodyMemory, createKeyPool, createUnverifiedPool } from '../../src/http/body-pool.ts'
import { unpackBody } from '../../src/intake/body.ts'

const options = { brand: 'b', map: null, form: 'items', dryRun: false, park: false } as const
const hashed = JSON.stringify(['b', null, 'items', false, false])

/** Packs a body in pieces; also returns the most memory that it held. */
const pack = async (body: Buffer, pieceBytes = 50_000) => {
  let drained = Promise.withResolvers<void>()
  const packer = openBodyPacker(options, () => drained.resolve())
  let most = 0
  for (let at = 0; at < body.length; at += pieceBytes) {
    drained = Promise.withResolvers()
    if (!packer.write(Buffer.from(body.subarray(at, at + pieceBytes)))) await drained.promise
    most = Math.max(most, packer.heldBytes)
  }
  return { packed: await packer.end(), most }
}

describe('a packed body', () => {
  it('is the body again when it is unpacked, whatever its length and content', async () => {
    for (const length of [0, 1, 1_023, 1_024, 65_536, 65_537, 300_000]) {
      for (const body of [Buffer.alloc(length, 'abc '), randomBytes(length)]) {
        const { packed } = await pack(body)
        assert.equal(packed.length, length)
        assert.deepEqual(await unpackBody(packed), body)
        // Earlier versions have hashed batches in the same way.
        const hash = createHash('sha256').update(hashed).update(body).digest('hex')
        assert.equal(packed.hash, hash)
      }
    }
  })

  it('that is as long as the body is not taken for the body', async () => {
    // A block that does not compress, and one that does by as many bytes as the frame takes.
    const random = randomBytes(131_122)
    let isFound = false
    for (let zeros = 0; zeros < 200 && !isFound; zeros += 1) {
      const body = Buffer.concat([random, Buffer.alloc(zeros)])
      const { packed } = await pack(body)
      isFound = packed.bytes.length === body.length + 8
      assert.deepEqual(await unpackBody(packed), body)
    }
    assert.ok(isFound)
  })

  it('takes little memory while it arrives', async () => {
    const body = Buffer.alloc(16 * 2 ** 20, '{"collection":"tags"}\n')
    const { packed, most } = await pack(body)
    assert.ok(packed.bytes.length < zstdCompressSync(body).length * 10)
    assert.ok(most < 4 * 2 ** 20, `${most} bytes`)
  })
})

describe('the memory of bodies', () => {
  const megabyte = 2 ** 20
  const limits = { bytesMax: 16 * megabyte, concurrent: 16, seconds: 30 }
  const isRoom = async (memory: BodyMemory, bytes: number) => {
    try {
      await memory.grow(bytes)
      return true
    } catch (error) {
      assert.equal((error as { readonly code?: string }).code, 'queue_full')
      return false
    }
  }

  it('is bounded by that of the machine, and is enough for two bodies', async () => {
    for (const createPool of [createKeyPool, createUnverifiedPool]) {
      const pool = createPool({ ...limits, memoryBytes: 512 * megabyte })
      const bodies = ['a', 'a', 'a', 'b', 'b', 'b'].map((owner) => pool.openMemory(owner))
      const granted = await Promise.all(bodies.map((each) => isRoom(each, 10 * megabyte)))
      const count = granted.filter(Boolean).length
      assert.ok(count >= 2 && count <= 5, `${granted}`)
      // Another owner has room for a body that is not large.
      assert.equal(pool.openMemory('c').grow(65_536), undefined)
      for (const each of bodies) each.release()
      assert.equal(pool.openMemory('d').grow(26 * megabyte), undefined)
    }
  })

  it('grows with the machine', async () => {
    const pool = createKeyPool({ ...limits, memoryBytes: 16_384 * megabyte })
    const bodies = Array.from({ length: 16 }, (_, n) => pool.openMemory(`${n % 2}`))
    for (const each of bodies) assert.equal(each.grow(26 * megabyte), undefined)
  })
})
