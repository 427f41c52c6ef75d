from helpers import make
import vcompat

vcompat.patch()
make().train()
