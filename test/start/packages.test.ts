/** Packages that are loaded when they are used. */
import { expect, test } from 'vitest'
import { requireInstalled } from '../../server/base/packages.ts'

test('a part names the packages that are missing, and not those that are installed', () => {
  const need = { what: 'The part', packages: ['zod', 'no-such-package', 'nor-this-one'] }
  const install = 'npm install no-such-package nor-this-one'
  expect(() => requireInstalled(need)).toThrow(`The part needs no-such-package and nor-this-one; run: ${install}`)
})

test('a part whose packages are installed is not refused', () => {
  expect(() => requireInstalled({ what: 'The part', packages: ['zod'] })).not.toThrow()
})
