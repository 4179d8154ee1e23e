import { describe, expect, it } from 'vitest'
import { signInPath } from './sign-in.tsx'

const CODE = '5K2NS1abcdefghijkl_-'

describe('signInPath', () => {
  it.each([
    [`http://localhost:3000/sign-in?code=${CODE}`, `/sign-in?code=${CODE}&to=%2Fqueue`],
    [`  http://box:3000/sign-in?code=${CODE}&to=%2F%2Fevil.example `, `/sign-in?code=${CODE}&to=%2Fqueue`],
    [`https://evil.example/sign-in?code=${CODE}`, `/sign-in?code=${CODE}&to=%2Fqueue`],
    [CODE, `/sign-in?code=${CODE}&to=%2Fqueue`],
    [`http://192.168.1.7:3000/pair/${CODE}`, `/pair/${CODE}`],
    ['https://evil.example/', null],
    ['javascript:alert(1)', null],
    [`/pair/${CODE}/../../x`, null],
    ['', null],
  ])('%s leads to %s', (pasted, path) => expect(signInPath(pasted, '/queue')).toBe(path))
})
