import { describe, expect, it } from 'vitest'
import { isImageName, sniffImage } from './sniff-image.ts'

const bytes = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0))

describe('the kind of an image', () => {
  it.each([
    ['\x89PNG\r\n\x1a\nrest', 'image/png'],
    ['\xff\xd8\xff\xe0', 'image/jpeg'],
    ['GIF89a', 'image/gif'],
    ['RIFF\x00\x00\x00\x00WEBPVP8 ', 'image/webp'],
    ['<svg xmlns="http://www.w3.org/2000/svg"></svg>', 'image/svg+xml'],
    ['\xef\xbb\xbf<?xml version="1.0"?>\n<!-- made by hand -->\n<svg>', 'image/svg+xml'],
    ['<html><svg></svg></html>', null],
    ['<script>alert(1)</script>', null],
    ['%PDF-1.7', null],
    ['RIFF\x00\x00\x00\x00WAVE', null],
    ['', null],
  ])('of %j is %s', (text, type) => expect(sniffImage(bytes(text))).toBe(type))

  it('is not read from a name, which only says what to offer', () => {
    expect(['a.png', 'b.JPG', 'c.svg', 'd.ts', 'png'].map(isImageName)).toEqual([true, true, true, false, false])
  })
})
