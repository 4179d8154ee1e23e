import { expect, it } from 'vitest'
import { drawQrCode } from '../../dashboard/devices/qr-code.ts'
import { qrLines } from '../ao/device/add.ts'

it('two rows are one line, with a light edge all around', () => {
  expect(qrLines(['10', '01', '11'])).toEqual(['██████', '██▄▀██', '██▄▄██', '▀▀▀▀▀▀'])
})

it('a link becomes a square that cameras know by its corners', async () => {
  const rows = await drawQrCode('https://ao.example.ts.net/pair/abc')
  expect(new Set(rows.map(({ length }) => length))).toEqual(new Set([rows.length]))
  for (const corner of [rows[0]!.slice(0, 7), rows[0]!.slice(-7), rows.at(-1)!.slice(0, 7)])
    expect(corner).toBe('1111111')
})
