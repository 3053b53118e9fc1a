/** How far the stages of a document are, without a database. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StageDefinition } from '#contract'
import { compareStages, type StageFacts } from '../../src/store/document/stages.ts'

const today = { day: '2026-11-16', timezone: 'Europe/Berlin' }
const path = [] as const
const amounts = { path, field: 'totalAmount', currency: 'currency' }
const euros = (amount: string) => [{ currency: 'EUR', amount }]

const stage = (
  name: string,
  definition: Partial<StageDefinition>,
  facts: Partial<StageFacts> = {},
): StageFacts => ({
  name,
  definition: { title: name, doneWhen: [], ...definition },
  pieces: null,
  amounts: [],
  planned: null,
  actual: null,
  ...facts,
})
const ordered = (pieces: number, definition: Partial<StageDefinition> = {}) =>
  stage('ordered', { pieces: 'ordered', ...definition }, { pieces })
const shipped = (pieces: number, facts: Partial<StageFacts> = {}) =>
  stage('shipped', { pieces: 'shipped' }, { pieces, ...facts })
const received = (pieces: number) => stage('received', { pieces: 'received' }, { pieces })
const invoiced = (amount: string) => stage('invoiced', { amounts }, { amounts: euros(amount) })
const paid = (amount: string, facts: Partial<StageFacts> = {}) =>
  stage('paid', { amounts }, { amounts: euros(amount), ...facts })

const statesOf = (stages: readonly StageFacts[], status: string | null = null) =>
  compareStages(stages, { status, today }).map(({ state }) => state)
const daysOf = (stages: readonly StageFacts[], status: string | null = null) =>
  compareStages(stages, { status, today }).at(-1)?.days

describe('a stage that counts pieces', () => {
  it('is done with as many as there are', () => {
    assert.deepEqual(statesOf([ordered(10), shipped(10)]), ['done', 'done'])
    assert.deepEqual(statesOf([ordered(10), shipped(9)]), ['done', 'partly'])
    assert.deepEqual(statesOf([ordered(10), shipped(0)]), ['done', 'open'])
    assert.deepEqual(statesOf([ordered(0), shipped(0)]), ['open', 'open'])
  })

  it('is done with as many as the stage before has ended with', () => {
    const short = stage('shipped', { pieces: 'shipped', doneWhen: ['closed'] }, { pieces: 8 })
    assert.deepEqual(statesOf([ordered(10), short, received(8)], 'closed'), [
      'done',
      'done',
      'done',
    ])
    assert.deepEqual(statesOf([ordered(10), short, received(8)]), ['done', 'partly', 'partly'])
  })

  it('expects no more than all, although more were shipped', () => {
    assert.deepEqual(statesOf([ordered(10), shipped(12), received(10)]), ['done', 'done', 'done'])
  })

  it('waits for a status, if the first stage has any', () => {
    const sent = ordered(10, { doneWhen: ['sent'] })
    assert.deepEqual(statesOf([sent]), ['partly'])
    assert.deepEqual(statesOf([sent], 'sent'), ['done'])
  })
})

describe('a stage of amounts', () => {
  it('is done with the amounts of the stage before', () => {
    assert.deepEqual(statesOf([invoiced('5.00'), paid('5')]), ['done', 'done'])
    assert.deepEqual(statesOf([invoiced('5.00'), paid('4.99')]), ['done', 'partly'])
    assert.deepEqual(statesOf([invoiced('0'), paid('0')]), ['open', 'open'])
  })

  it('compares each currency by itself', () => {
    const other = paid('0', { amounts: [{ currency: 'USD', amount: '5.00' }] })
    assert.deepEqual(statesOf([invoiced('5.00'), other]), ['done', 'partly'])
  })

  it('is not done before the stage before it', () => {
    const stages = [ordered(10), shipped(9), invoiced('5.00'), paid('5.00')]
    assert.deepEqual(statesOf(stages), ['done', 'partly', 'partly', 'partly'])
  })

  it('is left out without an amount, if it is optional', () => {
    const credited = (amount: string) =>
      stage('credited', { amounts, isOptional: true }, { amounts: euros(amount) })
    const namesOf = (amount: string) =>
      compareStages([invoiced('5'), credited(amount), paid('5')], { status: null, today }).map(
        ({ name }) => name,
      )
    assert.deepEqual(namesOf('0'), ['invoiced', 'paid'])
    assert.deepEqual(namesOf('1'), ['invoiced', 'credited', 'paid'])
    assert.deepEqual(statesOf([invoiced('5'), credited('0'), paid('4')]), ['done', 'partly'])
  })
})

describe('a stage of a date', () => {
  it('is done when it has happened', () => {
    assert.deepEqual(statesOf([stage('arrived', {}, { actual: '2026-11-01' })]), ['done'])
    assert.deepEqual(statesOf([stage('arrived', {})]), ['open'])
  })
})

describe('the days of a stage', () => {
  const planned = '2026-11-10'

  it('are counted until it has happened', () => {
    assert.equal(daysOf([ordered(10), shipped(10, { planned, actual: '2026-11-12' })]), 2)
    assert.equal(daysOf([ordered(10), shipped(10, { planned, actual: '2026-11-09' })]), -1)
    assert.equal(daysOf([ordered(10), shipped(10, { planned })]), null)
  })

  it('are counted until today while it has not, once it is late', () => {
    assert.equal(daysOf([ordered(10), shipped(9, { planned, actual: '2026-11-12' })]), 6)
    assert.equal(daysOf([ordered(10), shipped(9, { planned: today.day })]), null)
    assert.equal(daysOf([ordered(10), shipped(9)]), null)
  })

  it('are unknown of amounts that are paid, while others will follow', () => {
    const before = [ordered(10), shipped(9), invoiced('5.00')]
    assert.equal(daysOf([...before, paid('5.00', { planned })]), null)
    assert.equal(daysOf([...before, paid('4.00', { planned })]), 6)
  })
})
