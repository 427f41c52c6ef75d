for batch in 8 4; do
  python train.py --per_device_train_batch_size $batch && break
done
