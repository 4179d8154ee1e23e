import { expect, it } from 'vitest'
import { isWebAddress, ownPage } from './safe-link.tsx'

it.each([
  ['https://github.com/a/b/pull/1', true],
  ['http://localhost:3000/projects/a/pull/1', true],
  ['javascript:alert(1)', false],
  ['data:text/html,<script>', false],
  [' https://a.b', false],
  ['https://', false],
])('%s is an address to follow: %s', (text, expected) => {
  expect(isWebAddress(text)).toBe(expected)
})

it.each([
  ['http://localhost:3000/projects/app/pull/7', '/projects/app/pull/7'],
  ['http://127.0.0.1:41234/projects/my-app/issues/3', '/projects/my-app/issues/3'],
  ['http://localhost:3000/other', null],
  ['https://github.com/projects/app/pull/7', null],
  ['http://localhost:3000/projects/app/pull/7/../../evil', null],
])('%s opens in the page as %s', (href, expected) => {
  expect(ownPage(href)).toBe(expected)
})
