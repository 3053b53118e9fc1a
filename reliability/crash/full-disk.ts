/**
 * Loaded with `--import`. Lets a SQLite database grow by at most `MORE_PAGES` pages after a writer
 * has begun. Then the disk is full.
 */
import { DatabaseSync } from 'node:sqlite'

const more = Number(process.env['MORE_PAGES'])
const { exec } = DatabaseSync.prototype

DatabaseSync.prototype.exec = function (text) {
  exec.call(this, text)
  if (text !== 'begin immediate') return
  const { page_count: pages } = this.prepare('pragma page_count').get() as { page_count: number }
  exec.call(this, `pragma max_page_count = ${pages + more}`)
}
