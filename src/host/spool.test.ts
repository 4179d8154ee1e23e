import { mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSpool, readLeftover } from './spool.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'spool-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const LIMITS = { fileBytes: 10, maxBytes: 40 }
const files = () => readdirSync(directory).sort()
const leftover = (after: number) => Buffer.concat([...readLeftover(directory, after, 3)]).toString()

describe('the spool', () => {
  it('returns from any offset what was appended, across its files', () => {
    const spool = createSpool(directory, LIMITS)
    const text = 'abcdefghijklmnopqrstuvwxyz'
    for (const letter of text) spool.append(Buffer.from(letter))
    for (let from = 0; from <= text.length; from++) {
      let read = ''
      for (;;) {
        const piece = spool.read(from + read.length, 7)
        if (piece.length === 0) break
        read += piece
      }
      expect(read).toBe(text.slice(from))
      expect(leftover(from)).toBe(text.slice(from))
    }
    expect(files()).toEqual(['out-0', 'out-10', 'out-20'])
    spool.close()
  })

  it('is full at its limit, and has room again when output was committed', () => {
    const spool = createSpool(directory, LIMITS)
    for (let n = 0; n < 3; n++) spool.append(Buffer.alloc(12, 'x'))
    expect(spool.isFull()).toBe(false)
    spool.append(Buffer.alloc(12, 'y'))
    expect(spool.isFull()).toBe(true)
    spool.commit(12)
    expect(spool.isFull()).toBe(false)
    expect([spool.begin(), spool.end()]).toEqual([12, 48])
    spool.close()
  })

  it('removes the files whose output was committed, and none that still holds some', () => {
    const spool = createSpool(directory, LIMITS)
    for (let n = 0; n < 3; n++) spool.append(Buffer.alloc(10, String(n)))
    spool.commit(19)
    expect(files()).toEqual(['out-10', 'out-20'])
    expect(spool.read(19, 5).toString()).toBe('1')
    spool.commit(30)
    expect(files()).toEqual([])
    spool.append(Buffer.from('more'))
    expect(files()).toEqual(['out-30'])
    expect(spool.read(30, 9).toString()).toBe('more')
    spool.close()
  })

  it('never goes back, and commits nothing that does not exist', () => {
    const spool = createSpool(directory, LIMITS)
    spool.append(Buffer.from('0123456789'))
    spool.commit(8)
    spool.commit(3)
    expect(spool.begin()).toBe(8)
    spool.commit(1_000)
    expect([spool.begin(), spool.end()]).toEqual([10, 10])
    spool.close()
  })

  it('overwrites what a failed write left half-way', () => {
    const spool = createSpool(directory, { fileBytes: 100, maxBytes: 1_000 })
    spool.append(Buffer.from('whole '))
    // As a write that ran out of space leaves it.
    writeFileSync(join(directory, 'out-0'), 'whole hal')
    spool.append(Buffer.from('half of it'))
    expect(spool.read(0, 100).toString()).toBe('whole half of it')
    spool.close()
  })

  it('keeps in memory what cannot be written, and is full until it was written or committed', () => {
    const spool = createSpool(directory, LIMITS)
    spool.append(Buffer.from('0123456789'))
    rmSync(directory, { recursive: true })
    spool.append(Buffer.from('abc'))
    expect([spool.isFull(), spool.retry(), spool.end()]).toEqual([true, false, 13])
    expect(spool.read(11, 9).toString()).toBe('bc')
    mkdirSync(directory)
    expect([spool.retry(), spool.isFull()]).toEqual([true, false])
    expect(spool.read(10, 9).toString()).toBe('abc')
    spool.append(Buffer.from('defghijk'))
    rmSync(directory, { recursive: true })
    spool.append(Buffer.from('lost with nobody'))
    spool.commit(spool.end())
    expect(spool.isFull()).toBe(false)
    mkdirSync(directory)
    spool.append(Buffer.from('next'))
    expect(spool.read(spool.end() - 4, 9).toString()).toBe('next')
    spool.close()
  })

  it('of a host that is gone is read up to the first gap', () => {
    const spool = createSpool(directory, LIMITS)
    for (const letter of 'abc') spool.append(Buffer.alloc(10, letter))
    spool.close()
    truncateSync(join(directory, 'out-10'), 4)
    expect(leftover(5)).toBe('aaaaabbbb')
    expect(leftover(12)).toBe('bb')
    expect(leftover(25)).toBe('ccccc')
  })
})
