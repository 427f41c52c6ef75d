import vcompat

vcompat.patch()
